// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs LLVM's machine code analyzer, the library behind the llvm-mca program, on a sequence. See shim.h.
//
// It is llvm-mca with its default options: default pipeline, loads and stores never alias, a call costs 100 cycles.
// Left out are the target hooks: on x86 they only make fences wait, and for the other targets here they do not exist or
// read annotations in assembly text.
#include "target.h"

#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>
#include <llvm/MCA/Stages/Stage.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace llvm;

static const unsigned CALL_LATENCY = 100; // llvm-mca's default

// Cycles for which nothing retires before the run is given up: no instruction takes so long.
static const unsigned STUCK_AFTER = 20000;

// Gives up where some instruction never issues. LLVM 19's model of Sapphire Rapids has such (vdpps, aeskeygenassist), for which the
// llvm-mca program runs forever.
class Watch final : public mca::Stage, public mca::HWEventListener
{
	unsigned idle = 0;

      public:
	bool hasWorkToComplete() const override
	{
		return false;
	}
	Error execute(mca::InstRef &) override
	{
		return ErrorSuccess();
	}
	Error cycleEnd() override
	{
		if (++idle < STUCK_AFTER)
			return ErrorSuccess();
		return createStringError(inconvertibleErrorCode(), "nothing retires for %u cycles", STUCK_AFTER);
	}
	void onEvent(const mca::HWInstructionEvent &event) override
	{
		if (event.Type == mca::HWInstructionEvent::Retired)
			idle = 0;
	}
};

using Sequence = std::vector<std::unique_ptr<mca::Instruction>>;

// Decodes and describes every instruction. The text is empty on success, otherwise why not.
static std::string lower(assay_target &target, mca::InstrBuilder &builder, ArrayRef<uint8_t> code, std::vector<MCInst> &decoded,
			 Sequence &out)
{
	for (size_t offset = 0; offset < code.size();) {
		uint64_t length = 0;
		MCInst instruction;
		auto status = target.disassembler->getInstruction(instruction, length, code.slice(offset), offset, nulls());
		if (status == MCDisassembler::Fail || length == 0)
			return "undecodable bytes";
		offset += length;
		decoded.push_back(instruction);
	}
	for (const MCInst &instruction : decoded) {
		const MCInstrDesc &description = target.opcodes->get(instruction.getOpcode());
		std::string name = target.opcodes->getName(instruction.getOpcode()).str();
		if (description.isCall() || description.isReturn())
			return name + " is a call or return, for which it only has a constant";
		auto lowered = builder.createInstruction(instruction, {});
		if (!lowered) {
			consumeError(lowered.takeError());
			return "the cpu's model has no entry for " + name;
		}
		out.push_back(std::move(*lowered));
	}
	return "";
}

int assay_mca(assay_target *target, const uint8_t *code, size_t size, uint32_t iterations, uint64_t *cycles, char *message,
	      size_t message_size)
{
	const MCSubtargetInfo &subtarget = *target->subtarget;
	if (!subtarget.getSchedModel().hasInstrSchedModel()) {
		snprintf(message, message_size, "the cpu has no instruction model");
		return 0; // InstrBuilder would crash
	}
	mca::InstrumentManager instruments(subtarget, *target->opcodes);
	mca::InstrBuilder builder(subtarget, *target->opcodes, *target->registers, target->analysis.get(), instruments,
				  CALL_LATENCY);
	std::vector<MCInst> decoded;
	Sequence sequence;
	std::string error = lower(*target, builder, ArrayRef<uint8_t>(code, size), decoded, sequence);
	if (error.empty() && sequence.empty())
		error = "no instructions";
	if (error.empty()) {
		mca::Context context(*target->registers, subtarget);
		mca::CircularSourceMgr source(sequence, iterations);
		mca::CustomBehaviour behaviour(subtarget, source, *target->opcodes);
		mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
		auto pipeline = context.createDefaultPipeline(options, source, behaviour);
		auto watch = std::make_unique<Watch>();
		pipeline->addEventListener(watch.get());
		pipeline->appendStage(std::move(watch));
		Expected<unsigned> total = pipeline->run();
		if (total) {
			*cycles = *total;
			return 1;
		}
		error = toString(total.takeError());
	}
	snprintf(message, message_size, "%s", error.c_str());
	return 0;
}
