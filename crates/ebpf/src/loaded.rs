// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A program of an object together with its maps, ready to run.

use crate::maps::{self, MAP_BYTES_MAX};
use crate::packet::{Packet, PacketContext};
use crate::vm::{Engine, Error, Helper, Options, Status, Target, Vm};
use crate::{helpers, ByteOrder, MapDefinition, Maps, Object, Program};

/// What the program may do, and how it is compiled.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Instructions that a run may execute; `None` means no limit.
    pub budget_instructions: Option<u64>,
    /// How to compile for [`Engine::Compiled`].
    pub target: Target,
    /// Run the program even if it was compiled for the other byte order; it then reads its data byte-swapped.
    pub any_byte_order: bool,
    /// The most bytes that one map may take, with its keys and what finds them; `None`: 64 MiB.
    pub map_bytes_max: Option<usize>,
}

/// A verified program with fresh maps. Accesses are always checked, so running it is safe.
///
/// ```no_run
/// use ebpf::{Engine, Limits, Loaded, Object};
///
/// let object = Object::parse(&std::fs::read("filter.o")?)?; // clang -O2 -target bpf -c filter.c
/// for program in &object.programs {
///     let mut loaded = Loaded::new(&object, program, Limits::default())?;
///     println!("{}: {}", program.name, loaded.run(Engine::Interpreter, &mut [0; 64])?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Loaded {
    // Declared, and so dropped, before the maps that it refers to.
    vm: Vm,
    maps: Box<Maps>,
    target: Target,
    compiled: bool,
}

/// Refuses a program that needs a kernel, and one of the other byte order: its bytecode could be decoded, but it would read
/// its context and its maps byte-swapped.
fn refuse_what_cannot_run(object: &Object, program: &Program, any_byte_order: bool) -> Result<(), Error> {
    let unsupported = |message| Error { status: Status::Unsupported, instruction: None, message };
    if object.order != ByteOrder::native() && !any_byte_order {
        return Err(unsupported("the object is for machines of the other byte order".into()));
    }
    match &program.unresolved {
        Some(reason) => Err(unsupported(reason.clone())),
        None => Ok(()),
    }
}

fn registered() -> impl Iterator<Item = (u32, Helper)> {
    maps::HELPERS.into_iter().chain(helpers::HELPERS)
}

/// The helpers that an object's programs may call when they are [`Loaded`], by the kernel's numbers.
pub fn helper_numbers() -> impl Iterator<Item = u32> {
    registered().map(|(number, _)| number)
}

impl Loaded {
    /// Makes the object's maps, and loads and verifies one of its programs.
    pub fn new(object: &Object, program: &Program, limits: Limits) -> Result<Loaded, Error> {
        refuse_what_cannot_run(object, program, limits.any_byte_order)?;
        let bytes_max = limits.map_bytes_max.unwrap_or(MAP_BYTES_MAX);
        let mut maps = Maps::new(&object.maps, &object.map_contents, &object.pointers, bytes_max)?;
        let options = Options {
            bounds: true,
            budget_instructions: limits.budget_instructions,
            helper_context: Some(maps.context()),
            relocate: Some(maps.relocation()),
        };
        let no_memory =
            || Error { status: Status::Memory, instruction: None, message: "no memory for a VM".into() };
        let mut vm = Vm::new(options).ok_or_else(no_memory)?;
        maps.attach(&mut vm, registered())?;
        vm.load(&program.bytecode, object.order)?;
        Ok(Loaded { vm, maps, target: limits.target, compiled: false })
    }

    /// Runs the program on `context`, compiling it first if `engine` needs that. Maps keep their contents between runs.
    pub fn run(&mut self, engine: Engine, context: &mut [u8]) -> Result<u64, Error> {
        if engine == Engine::Compiled && !self.compiled {
            self.vm.compile(&self.target)?;
            self.compiled = true;
        }
        self.vm.run(engine, context)
    }

    /// Runs the program on a packet, with a context of this kind; gives r0 and the packet as the program left it.
    pub fn run_on_packet(
        &mut self,
        engine: Engine,
        kind: PacketContext,
        bytes: &[u8],
    ) -> Result<(u64, Vec<u8>), Error> {
        if self.maps.packet.as_ref().is_none_or(|packet| packet.kind != kind) {
            self.maps.packet = Some(Packet::new(kind)?);
        }
        let packet = self.maps.packet.as_mut().expect("it was just made");
        let mut context = packet.enter(&mut self.vm, bytes)?;
        let result = self.run(engine, &mut context);
        let packet = self.maps.packet.as_mut().expect("it is still there");
        let after = packet.bytes().to_vec();
        packet.leave(&mut self.vm)?;
        result.map(|r0| (r0, after))
    }

    /// The VM, for its statistics. Not `&mut`: the program's addresses are those of the maps, so the VM must not outlive them
    /// elsewhere.
    pub fn vm(&self) -> &Vm {
        &self.vm
    }

    /// The maps and the current bytes of their values, in the order in which they lie in memory.
    pub fn maps(&self) -> impl Iterator<Item = (&MapDefinition, &[u8])> {
        self.maps.contents()
    }
}
