// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// LLVM's objects for one target, shared by decode.cpp and scheduling.cpp.
#ifndef ASSAY_TARGET_H
#define ASSAY_TARGET_H

#include "shim.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>

#include <memory>

// The members are destroyed in reverse order, so each may refer to those above it.
struct assay_target {
	llvm::MCTargetOptions options;
	std::unique_ptr<llvm::MCRegisterInfo> registers;
	std::unique_ptr<llvm::MCAsmInfo> assembly;
	std::unique_ptr<llvm::MCInstrInfo> opcodes;
	std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
	std::unique_ptr<llvm::MCContext> context;
	std::unique_ptr<llvm::MCDisassembler> disassembler;
	std::unique_ptr<llvm::MCInstPrinter> printer;
	std::unique_ptr<llvm::MCInstrAnalysis> analysis;
	llvm::MCInst last; // what assay_decode found
	uint64_t last_length = 0; // its bytes
};

#endif
