// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Decoding: bytes to LLVM's opcode and operands, and LLVM's facts about opcodes. See shim.h for the contract.
#include "target.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <set>
#include <string>

#include <unistd.h>

using namespace llvm;

// LLVM's per-target entry points have no header outside of the generated list of all targets.
#define ASSAY_TARGETS(X) X(PowerPC) X(LoongArch) X(X86) X(AArch64) X(RISCV)
extern "C" {
#define DECLARE(T) \
	void LLVMInitialize##T##TargetInfo(); \
	void LLVMInitialize##T##TargetMC(); \
	void LLVMInitialize##T##Disassembler();
ASSAY_TARGETS(DECLARE)
#undef DECLARE
}

// Since LLVM 22 the registry takes a Triple where it took its text.
#if LLVM_VERSION_MAJOR >= 22
static const Triple &registry_key(const Triple &triple)
{
	return triple;
}
#else
static const std::string &registry_key(const Triple &triple)
{
	return triple.str();
}
#endif

// Only the target asked for: starting all of them takes 16 ms.
static void initialize(Triple::ArchType arch)
{
	switch (arch) {
#define START(T) \
	LLVMInitialize##T##TargetInfo(); \
	LLVMInitialize##T##TargetMC(); \
	LLVMInitialize##T##Disassembler();
	case Triple::ppc:
	case Triple::ppc64:
	case Triple::ppc64le:
		START(PowerPC)
		break;
	case Triple::loongarch64:
		START(LoongArch)
		break;
	case Triple::x86_64:
		START(X86)
		break;
	case Triple::aarch64:
		START(AArch64)
		break;
	case Triple::riscv64:
		START(RISCV)
		break;
	default:
		break;
#undef START
	}
}

// "r3" instead of "3" in PowerPC's text. The printer offers this only as a command-line option of LLVM's.
static void name_powerpc_registers()
{
	static bool done = false;
	if (done)
		return;
	done = true;
	const char *arguments[] = { "assay", "-ppc-asm-full-reg-names" };
	cl::ParseCommandLineOptions(2, arguments, "", &nulls());
}

// LLVM is built without exceptions: where it gets no memory, it aborts. A message and the status of a wrong environment say more.
[[noreturn]] static void end_without_memory()
{
	static const char told[] =
		"assay: LLVM has no memory left\n"
		"  remedy: raise the limits on memory (ulimit -v, ulimit -d), or try again when the machine has more\n";
	// A message that cannot be written leaves the status.
	(void)!write(STDERR_FILENO, told, sizeof(told) - 1);
	_exit(2);
}

static void end_if_without_memory()
{
	static bool done = false;
	if (done)
		return;
	done = true;
	std::set_new_handler(end_without_memory);
	// What LLVM takes from malloc does not come to that handler.
	install_bad_alloc_error_handler([](void *, const char *, bool) { end_without_memory(); });
}

// Drops features that this version of LLVM does not have; it would complain about them on stderr.
static std::string known_features(const MCSubtargetInfo &subtarget, StringRef wanted)
{
	std::set<StringRef> known;
	for (const SubtargetFeatureKV &feature : subtarget.getAllProcessorFeatures())
		known.insert(feature.Key);
	std::string kept;
	while (!wanted.empty()) {
		StringRef feature;
		std::tie(feature, wanted) = wanted.split(',');
		if (feature.size() < 2 || !known.count(feature.drop_front()))
			continue;
		if (!kept.empty())
			kept += ',';
		kept += feature;
	}
	return kept;
}

// Fills `out`; the returned text is empty on success, otherwise what is missing.
static std::string build(assay_target &out, const Triple &triple, const char *cpu, const char *features)
{
	std::string error;
	const auto &key = registry_key(triple);
	const Target *target = TargetRegistry::lookupTarget(key, error);
	if (!target)
		return error;
	out.registers.reset(target->createMCRegInfo(key));
	if (!out.registers)
		return "no register description";
	out.assembly.reset(target->createMCAsmInfo(*out.registers, key, out.options));
	out.opcodes.reset(target->createMCInstrInfo());
	out.subtarget.reset(target->createMCSubtargetInfo(key, cpu, ""));
	if (!out.assembly || !out.opcodes || !out.subtarget)
		return "no assembler description";
	std::string kept = known_features(*out.subtarget, features);
	out.subtarget.reset(target->createMCSubtargetInfo(key, cpu, kept));
	out.context = std::make_unique<MCContext>(triple, out.assembly.get(), out.registers.get(), out.subtarget.get());
	out.disassembler.reset(target->createMCDisassembler(*out.subtarget, *out.context));
	unsigned syntax = triple.isX86() ? 1 : 0; // 1 is Intel's
	out.printer.reset(target->createMCInstPrinter(triple, syntax, *out.assembly, *out.opcodes, *out.registers));
	out.analysis.reset(target->createMCInstrAnalysis(out.opcodes.get()));
	if (!out.disassembler || !out.printer || !out.analysis)
		return "no disassembler";
	out.printer->setPrintBranchImmAsAddress(true);
	return "";
}

assay_target *assay_target_new(const char *triple_name, const char *cpu, const char *features, char *message,
			       size_t message_size)
{
	end_if_without_memory();
	Triple triple{ StringRef(triple_name) };
	initialize(triple.getArch());
	if (triple.isPPC())
		name_powerpc_registers();
	auto target = std::make_unique<assay_target>();
	std::string error = build(*target, triple, cpu, features);
	if (error.empty())
		return target.release();
	snprintf(message, message_size, "%s", error.c_str());
	return nullptr;
}

void assay_target_free(assay_target *target)
{
	delete target;
}

uint32_t assay_register_count(const assay_target *target)
{
	return target->registers->getNumRegs();
}

const char *assay_register_name(const assay_target *target, uint32_t number)
{
	return target->registers->getName(number);
}

uint32_t assay_opcode_count(const assay_target *target)
{
	return target->opcodes->getNumOpcodes();
}

static uint32_t copy_registers(ArrayRef<MCPhysReg> from, uint16_t *to)
{
	uint32_t count = 0;
	for (MCPhysReg number : from)
		if (count < ASSAY_IMPLICIT_MAX)
			to[count++] = number;
	return count;
}

void assay_opcode_describe(const assay_target *target, uint32_t opcode, assay_opcode *out)
{
	const MCInstrDesc &description = target->opcodes->get(opcode);
	out->name = target->opcodes->getName(opcode).data();
	out->may_load = description.mayLoad();
	out->may_store = description.mayStore();
	out->is_branch = description.isBranch();
	out->is_indirect = description.isIndirectBranch();
	out->is_call = description.isCall();
	out->is_return = description.isReturn();
	out->implicit_definition_count = copy_registers(description.implicit_defs(), out->implicit_definitions);
	out->implicit_use_count = copy_registers(description.implicit_uses(), out->implicit_uses);
}

static assay_operand describe_operand(const assay_target &target, const MCInstrDesc &description, unsigned index)
{
	assay_operand out = { 0, ASSAY_OPERAND_OTHER, index < description.getNumDefs(), 0, -1 };
	const MCOperand &operand = target.last.getOperand(index);
	if (operand.isReg()) {
		out.kind = ASSAY_OPERAND_REGISTER;
		out.value = MCRegister(operand.getReg()).id();
	} else if (operand.isImm()) {
		out.kind = ASSAY_OPERAND_IMMEDIATE;
		out.value = operand.getImm();
	}
	if (index >= description.getNumOperands())
		return out;
	const MCOperandInfo &info = description.operands()[index];
	out.is_memory = info.OperandType == MCOI::OPERAND_MEMORY;
	out.tied_to = description.getOperandConstraint(index, MCOI::TIED_TO);
	return out;
}

int assay_decode(assay_target *target, const uint8_t *bytes, size_t size, uint64_t address, assay_instruction *out)
{
	// A new MCInst, not a cleared one, which would keep its opcode: AArch64's decoder reads the opcode of a failed
	// attempt and then writes outside of the operands.
	target->last = MCInst();
	uint64_t length = 0;
	ArrayRef<uint8_t> input(bytes, size);
	auto status = target->disassembler->getInstruction(target->last, length, input, address, nulls());
	// SoftFail is a reserved-bit pattern that executes as if it were right on some cores.
	if (status == MCDisassembler::Fail || length == 0 || length > size)
		return 0;
	const MCInstrDesc &description = target->opcodes->get(target->last.getOpcode());
	out->opcode = target->last.getOpcode();
	out->length = length;
	target->last_length = length;
	out->prefix_flags = target->last.getFlags();
	out->operand_count = 0;
	for (unsigned i = 0; i < target->last.getNumOperands() && i < ASSAY_OPERANDS_MAX; i++)
		out->operands[out->operand_count++] = describe_operand(*target, description, i);
	out->target = 0;
	out->has_target = target->analysis->evaluateBranch(target->last, address, length, out->target);
	return 1;
}

static void copy_text(StringRef text, char *buffer, size_t size)
{
	size_t count = std::min(text.size(), size - 1);
	memcpy(buffer, text.data(), count);
	buffer[count] = 0;
}

static void copy_mnemonic(assay_target &target, const MCInst &instruction, char *buffer, size_t size)
{
#if LLVM_VERSION_MAJOR >= 20
	const char *mnemonic = target.printer->getMnemonic(instruction).first;
#else
	const char *mnemonic = target.printer->getMnemonic(&instruction).first;
#endif
	copy_text(StringRef(mnemonic ? mnemonic : "").trim(), buffer, size);
}

void assay_mnemonic(assay_target *target, char *buffer, size_t size)
{
	copy_mnemonic(*target, target->last, buffer, size);
}

void assay_opcode_mnemonic(assay_target *target, uint32_t opcode, char *buffer, size_t size)
{
	MCInst instruction;
	instruction.setOpcode(opcode);
	copy_mnemonic(*target, instruction, buffer, size);
}

void assay_text(assay_target *target, uint64_t address, char *buffer, size_t size)
{
	// x86's branch offsets count from the end of the instruction.
	if (target->subtarget->getTargetTriple().isX86())
		address += target->last_length;
	std::string text;
	raw_string_ostream stream(text);
	target->printer->printInst(&target->last, address, "", *target->subtarget, stream);
	stream.flush();
	for (char &c : text)
		if (c == '\t' || c == '\n')
			c = ' ';
	copy_text(StringRef(text).trim(), buffer, size);
}
