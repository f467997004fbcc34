// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// LLVM's scheduling model of a cpu, for those that Assay has not described itself. See shim.h for the contract.
//
// Only MCSubtargetInfo's tables are read. mca::InstrBuilder would give the same and crashes on a cpu without model.
#include "target.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ADT/APInt.h>
#include <llvm/MC/MCSchedule.h>

#include <algorithm>

using namespace llvm;

// Entries of a resource that stands for a queue of memory accesses.
static uint32_t queue_entries(const MCSchedModel &model, unsigned resource)
{
	return resource ? std::max(model.getProcResource(resource)->BufferSize, 0) : 0;
}

void assay_model_describe(const assay_target *target, assay_model *out)
{
	const MCSchedModel &model = target->subtarget->getSchedModel();
	out->has_instruction_model = model.hasInstrSchedModel();
	out->issue_width = model.IssueWidth;
	out->buffer_size = model.MicroOpBufferSize;
	out->load_latency = model.LoadLatency;
	out->mispredict_penalty = model.MispredictPenalty;
	out->resource_count = model.hasInstrSchedModel() ? model.getNumProcResourceKinds() : 0;
	out->retire_width = out->load_queue = out->store_queue = 0;
	if (model.hasInstrSchedModel() && model.hasExtraProcessorInfo()) {
		const MCExtraProcessorInfo &extra = model.getExtraProcessorInfo();
		out->retire_width = extra.MaxRetirePerCycle;
		out->load_queue = queue_entries(model, extra.LoadQueueID);
		out->store_queue = queue_entries(model, extra.StoreQueueID);
	}
}

int assay_resource_describe(const assay_target *target, uint32_t number, assay_resource *out)
{
	const MCSchedModel &model = target->subtarget->getSchedModel();
	if (!model.hasInstrSchedModel() || number == 0 || number >= model.getNumProcResourceKinds())
		return 0;
	const MCProcResourceDesc *resource = model.getProcResource(number);
	out->name = resource->Name;
	out->units = resource->NumUnits;
	out->buffer_size = resource->BufferSize;
	out->super = resource->SuperIdx;
	out->members = resource->SubUnitsIdxBegin;
	return 1;
}

void assay_resource_users(const assay_target *target, uint32_t *counts)
{
	const MCSubtargetInfo &subtarget = *target->subtarget;
	const MCSchedModel &model = subtarget.getSchedModel();
	if (!model.hasInstrSchedModel())
		return;
	std::fill_n(counts, model.getNumProcResourceKinds() - 1, 0);
	for (unsigned opcode = 0; opcode < target->opcodes->getNumOpcodes(); opcode++) {
		unsigned number = target->opcodes->get(opcode).getSchedClass();
		const MCSchedClassDesc *found = model.getSchedClassDesc(number);
		if (!number || !found->isValid() || found->isVariant())
			continue;
		const MCWriteProcResEntry *entry = subtarget.getWriteProcResBegin(found);
		for (; entry != subtarget.getWriteProcResEnd(found); entry++)
			counts[entry->ProcResourceIdx - 1]++;
	}
}

// Variant classes depend on the operands (a shift by zero, a zero idiom) and lead to other classes.
static const MCSchedClassDesc *schedule_class(const assay_target &target)
{
	const MCSchedModel &model = target.subtarget->getSchedModel();
	unsigned number = target.opcodes->get(target.last.getOpcode()).getSchedClass();
	const MCSchedClassDesc *found = model.getSchedClassDesc(number);
	while (number && found->isVariant()) {
		number = target.subtarget->resolveVariantSchedClass(number, &target.last, target.opcodes.get(),
								    model.getProcessorID());
		found = model.getSchedClassDesc(number);
	}
	return number && found->isValid() ? found : nullptr;
}

// The most cycles after issue at which an operand is read (LLVM's ReadAdvance): an instruction that computes with a loaded
// value needs its registers only then.
static uint32_t late_cycles(const MCSubtargetInfo &subtarget, const MCSchedClassDesc &found)
{
	int latest = 0;
	for (const MCReadAdvanceEntry &entry : subtarget.getReadAdvanceEntries(found))
		latest = std::max(latest, entry.Cycles);
	return latest;
}

static bool breaks_dependencies(const assay_target &target, unsigned cpu)
{
	APInt operands;
	return target.analysis->isDependencyBreaking(target.last, operands, cpu) && operands.isZero();
}

// Whether a file of registers does this move by renaming. Those that do it only for zeros are taken not to.
static bool is_eliminated(const assay_target &target, const MCSchedModel &model)
{
	const MCInst &move = target.last;
	if (!model.hasExtraProcessorInfo() || !move.getNumOperands() || !move.getOperand(0).isReg() ||
	    !target.analysis->isOptimizableRegisterMove(move, model.getProcessorID()))
		return false;
	const MCExtraProcessorInfo &extra = model.getExtraProcessorInfo();
	for (unsigned file = 0; file < extra.NumRegisterFiles; file++) {
		const MCRegisterFileDesc &registers = extra.RegisterFiles[file];
		for (unsigned i = 0; i < registers.NumRegisterCostEntries; i++) {
			const MCRegisterCostEntry &cost = extra.RegisterCostTable[registers.RegisterCostEntryIdx + i];
			if (cost.AllowMoveElimination && !registers.AllowZeroMoveEliminationOnly &&
			    target.registers->getRegClass(cost.RegisterClassID).contains(move.getOperand(0).getReg()))
				return true;
		}
	}
	return false;
}

int assay_schedule_last(assay_target *target, assay_schedule *out)
{
	const MCSubtargetInfo &subtarget = *target->subtarget;
	if (!subtarget.getSchedModel().hasInstrSchedModel())
		return 0;
	const MCSchedClassDesc *found = schedule_class(*target);
	if (!found)
		return 0;
	out->micro_ops = found->NumMicroOps;
	out->begins_group = found->BeginGroup;
	out->ends_group = found->EndGroup;
	out->write_count = 0;
	for (unsigned i = 0; i < found->NumWriteLatencyEntries && i < ASSAY_WRITES_MAX; i++)
		out->write_latencies[out->write_count++] = subtarget.getWriteLatencyEntry(found, i)->Cycles;
	out->use_count = 0;
	const MCWriteProcResEntry *entry = subtarget.getWriteProcResBegin(found);
	for (; entry != subtarget.getWriteProcResEnd(found) && out->use_count < ASSAY_USES_MAX; entry++)
		out->uses[out->use_count++] = { entry->ProcResourceIdx,
						uint32_t(entry->ReleaseAtCycle - entry->AcquireAtCycle) };
	out->late_cycles = late_cycles(subtarget, *found);
	out->breaks_dependencies = breaks_dependencies(*target, subtarget.getSchedModel().getProcessorID());
	out->is_eliminated = is_eliminated(*target, subtarget.getSchedModel());
	return 1;
}

const char *assay_cpu_name(const assay_target *target, uint32_t n, int *has_model)
{
	ArrayRef<SubtargetSubTypeKV> cpus = target->subtarget->getAllProcessorDescriptions();
	if (n >= cpus.size())
		return nullptr;
	*has_model = cpus[n].SchedModel && cpus[n].SchedModel->hasInstrSchedModel();
	return cpus[n].Key;
}
