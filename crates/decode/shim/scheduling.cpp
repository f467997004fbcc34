// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// LLVM's scheduling model of a cpu, for those that Assay has not described itself. See shim.h for the contract.
//
// Only MCSubtargetInfo's tables are read. mca::InstrBuilder would give the same and crashes on a cpu without model.
#include "target.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSchedule.h>

using namespace llvm;

void assay_model_describe(const assay_target *target, assay_model *out)
{
	const MCSchedModel &model = target->subtarget->getSchedModel();
	out->has_instruction_model = model.hasInstrSchedModel();
	out->issue_width = model.IssueWidth;
	out->buffer_size = model.MicroOpBufferSize;
	out->load_latency = model.LoadLatency;
	out->mispredict_penalty = model.MispredictPenalty;
	out->resource_count = model.hasInstrSchedModel() ? model.getNumProcResourceKinds() : 0;
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
	return 1;
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
