// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A web server as a vcore's program: Debian's lighttpd of the study's architecture, recorded while Debian's ab of the same
//! architecture requests a page from it, both under QEMU. The packages are fetched the first time
//! (`setup.d/foreign-package`); the recording is kept. Only the server's own code is recorded, neither the kernel's work for
//! it nor the load generator.

use crate::context::Context;
use crate::verbs::foreign;
use arch::Arch;
use lab::emulator::{qemu_engine, Engine};
use lab::foreign_root::{unpacked, Root};
use lab::process::{Command, Ending, Output, Printing};
use lab::record::{Recorded, Recording};
use lab::target::Qemu;
use lab::{Problem, Result};
use serde::Deserialize;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The load that the server gets.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Requests in all.
    pub requests: u64,
    /// Requests in flight at a time.
    pub concurrency: u64,
    page_bytes: usize,
    /// QEMU's -cpu: Debian's packages need more than our baseline has.
    qemu_cpu: String,
}

const PACKAGES: [&str; 2] = ["lighttpd", "apache2-utils"];
/// Seconds without a request after which the server exits by itself, so that its recording is complete.
const IDLE_S: u64 = 8;
/// How long the server and the load generator may each take; under QEMU on a busy machine a thousand requests take ten
/// seconds.
const TIMEOUT: Duration = Duration::from_secs(300);

impl Server {
    /// The recording, kept from an earlier run or made now.
    pub fn record(&self, context: &Context, arch: Arch) -> Result<PathBuf> {
        let workspace = &context.workspace;
        let root = unpacked(workspace, arch);
        let (server, load) = (root.join("usr/sbin/lighttpd"), root.join("usr/bin/ab"));
        if !server.is_file() || !load.is_file() {
            context.progress(&format!("fetching {} for {arch}, once", PACKAGES.join(" and ")));
            foreign::fetch(context, arch, &PACKAGES.map(str::to_owned))?;
        }
        let bytes = fs::metadata(&server).map_err(|error| Problem::io("find", &server, &error))?.len();
        let tracer = lab::record::tracer_digest(workspace)?;
        let Server { requests, concurrency, page_bytes, qemu_cpu } = self;
        let asked = format!("{requests} {concurrency} {page_bytes} {qemu_cpu} {bytes}");
        let digest = lab::build::digest(&[&asked, &self.configuration(0, Path::new("")), &tracer]);
        let finished = workspace.folder("traces")?.join(format!("lighttpd-{arch}-{digest}.trace"));
        if finished.is_file() {
            return Ok(finished);
        }
        context.progress(&format!(
            "recording lighttpd ({arch}) under QEMU while ab asks {} times; kept for the next time",
            self.requests
        ));
        let engine = qemu_engine(workspace, arch, Qemu::Packaged, &self.qemu_cpu)?;
        Run { context, arch, engine, server, load }.record(self)?.keep_as(&finished)
    }

    fn configuration(&self, port: u16, folder: &Path) -> String {
        format!(
            "server.document-root = \"{}\"\nserver.bind = \"127.0.0.1\"\nserver.port = {port}\nserver.modules = ()\n\
             server.max-fds = 2048\nserver.max-connections = 1000\nindex-file.names = ( \"index.html\" )\n",
            folder.display()
        )
    }
}

struct Run<'a> {
    context: &'a Context,
    arch: Arch,
    engine: Engine,
    server: PathBuf,
    load: PathBuf,
}

impl Run<'_> {
    fn record(&self, asked: &Server) -> Result<lab::cache::Scratch> {
        let workspace = &self.context.workspace;
        let root = Root::find(workspace, self.arch, None);
        let scratch = workspace.scratch(".conf")?;
        let folder = scratch.path().with_extension("pages");
        let page = "<p>It works.</p>\n".bytes().cycle().take(asked.page_bytes).collect::<Vec<u8>>();
        let port = free_port()?;
        write(scratch.path(), asked.configuration(port, &folder).as_bytes())?;
        fs::create_dir_all(&folder).map_err(|error| Problem::io("make the folder", &folder, &error))?;
        write(&folder.join("index.html"), &page)?;
        let modules = unpacked(workspace, self.arch).join("usr/lib/lighttpd");
        let arguments = ["-D", "-i", &IDLE_S.to_string(), "-f", &scratch.path().display().to_string(), "-m"]
            .map(str::to_owned)
            .into_iter()
            .chain([modules.display().to_string()])
            .collect::<Vec<_>>();
        let recording = Recording {
            engine: &self.engine,
            emulator_arguments: &root.options(),
            program: &self.server,
            arguments: &arguments,
            plugin_arguments: &[],
            timeout: TIMEOUT,
            printing: Printing::ShownAsErrors,
        };
        let (recorded, load) = thread::scope(|scope| {
            let server = scope.spawn(|| recording.run_foreign(workspace));
            let load = wait_for(port, || server.is_finished()).and_then(|()| self.load(asked, port, &root));
            (server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), load)
        });
        self.judge(asked, recorded?, &load?)
    }

    /// Runs ab, which sends the requests.
    fn load(&self, asked: &Server, port: u16, root: &Root) -> Result<Output> {
        let Engine::Qemu { program: qemu, cpu, .. } = &self.engine else {
            return Err(Problem::new("a native run cannot be recorded")
                .remedy("name an architecture that this machine is not"));
        };
        Command::new(qemu)
            .args(["-cpu", cpu.as_str()])
            .args(root.options())
            .arg(&self.load)
            .args(["-q", "-n", &asked.requests.to_string(), "-c", &asked.concurrency.to_string()])
            .arg(format!("http://127.0.0.1:{port}/"))
            .timeout(TIMEOUT)
            .run()
    }

    /// Takes the recording only if each request was answered with the whole page and the server exited by itself.
    fn judge(&self, asked: &Server, recorded: Recorded, load: &Output) -> Result<lab::cache::Scratch> {
        let figure = |name: &str| {
            let line = load.stdout.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let bytes = asked.page_bytes as u64;
        let answered = figure("Complete requests:") == Some(asked.requests)
            && figure("Failed requests:") == Some(0)
            && figure("Document Length:") == Some(bytes);
        if !load.success() || !answered {
            return Err(Problem::new(format!(
                "ab did not get {} answers of {bytes} bytes: {}{}",
                asked.requests,
                load.tail(4),
                load.head(4)
            ))
            .at(self.load.display())
            .remedy("see that nothing here keeps programs from 127.0.0.1, and run it again"));
        }
        match (recorded.ending, recorded.trace) {
            (Ending::Exited(0), Some(trace)) => Ok(trace),
            (ending, _) => Err(Problem::new(format!("the server did not end as it should: it {ending}"))
                .at(self.server.display())
                .remedy("see what it said above, and run it again")),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| Problem::io("write the server's file", path, &error))
}

/// A port that is free at this moment.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| {
        Problem::new(format!("cannot listen on 127.0.0.1: {error}"))
            .remedy("run it where programs may talk to each other over the loopback interface")
    })
}

/// Waits until the server accepts connections.
fn wait_for(port: u16, has_ended: impl Fn() -> bool) -> Result<()> {
    let begun = Instant::now();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    while TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_err() {
        if has_ended() || begun.elapsed() > TIMEOUT {
            return Err(Problem::new("the server took no connection")
                .at(address)
                .remedy("see what it said above"));
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
