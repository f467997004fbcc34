// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Errors planted in the simulator for the test of its oracle, which has to find each of them (`oracle::faults`). Outside of
//! tests there are none, and asking is free.

/// One error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The paths through the engine: one more cycle on each of them.
    SimpleLate,
    SimpleLoadLate,
    BranchLate,
    PairStoreLate,
    PairLoadLate,
    GeneralLate,
    /// Pipes: a long operation leaves its pipe a cycle early, waits for older ones that are not ready, or takes no second cycle of
    /// several pipes; a stretch known to be full is taken to be longer; an operation bound goes to the first pipe of equals, or nobody knows which was bound last; who has issued is counted for a cycle more; a register is written with another.
    PipeFreedEarly,
    OlderInTheWay,
    AlsoForgotten,
    SpanLonger,
    SlotsForgotten,
    TogetherForgotten,
    OneOperationQueued,
    WaitingSeenAtOnce,
    BindingForgotten,
    WaitsLonger,
    WrittenTwice,
    /// Halves: nobody has turns at pipes, or at halves; nothing comes late to the other half.
    PipeTurnForgotten,
    HalfTurnForgotten,
    HalvesNear,
    /// Result ports: they are free, for loads alone or for all, what takes no pipe takes one, and who gave way owes nothing, or
    /// has no other cycle for its result.
    PortFree,
    LoadPortFree,
    PortWithoutPipe,
    DebtForgotten,
    ResultLost,
    /// Binding: a pipe that something was bound to in the same cycle is taken again although others are free, one more waits, or loads
    /// and stores do not; a cycle accepts one more; a load that has issued gives its place back at once.
    UsedAgain,
    BindingLonger,
    AddressUnbound,
    AcceptsMore,
    WaitingFreedEarly,
    /// A slot goes to the first set of pipes, whichever it is, or to either scheduler; a scheduler's pipes have no turns.
    LaneForgotten,
    SlotForgotten,
    PipesForgotten,
    SchedulerTurnForgotten,
    /// The store queue: a chain goes on in another granule, a store that the table forgot is not looked for, stores drain
    /// without a pause, two only to one line, no more than two, a read-modify-write delays nobody, the queue has an entry more, a value is
    /// forwarded before its store has completed, or before a constant is added to it, a load that waits has tried but once, or what
    /// comes soon is put together as late as what does not, what begins elsewhere is put together, too, a store completes early, memory is renamed for
    /// what is not split, and a store with the same low bits of address hides an older one to the bytes.
    WrongGranule,
    HiddenForgotten,
    DrainsAtOnce,
    LinesApart,
    RunForgotten,
    ModifiedFree,
    StoreQueueLonger,
    ForwardedEarly,
    AddedAtOnce,
    TriedOnce,
    SoonForgotten,
    BeginsAnywhere,
    StoredEarly,
    RenamedWhole,
    AliasHides,
    /// Memory is renamed before it has been learned, a load that finds its bytes elsewhere forgets nothing, a store's name is not
    /// seen, or one store more is in reach.
    RenamedUnlearned,
    MissesForgiven,
    NamesUnseen,
    ReachesFurther,
    /// What is renamed waits for an address of an index.
    AddressAwaited,
    /// The window: one more completes in a cycle, one more is in flight, a rename register or a load more; vectors have a pool
    /// of their own where they share one; an entry of an issue queue is given back early.
    CompletesMore,
    WindowLonger,
    RingLonger,
    PoolsApart,
    QueueFreedEarly,
    EntryFreedAtIssue,
    /// Fetch: a block is an instruction longer, the buffer holds one more, a quick prediction that is overruled costs nothing,
    /// the rest of a block comes at once, a branch taken second is predicted by itself, an entry begun is filled by the next block,
    /// a long one shares its first cycle, a branch is of its first byte's block, no block comes with the end of another, constants
    /// take no room; a path that is replayed may have a slot more, is not left, its copies follow without a gap, its calls begin no
    /// row, or its branches need not be known.
    BlockLonger,
    BufferLonger,
    OverruledFree,
    RestAtOnce,
    SecondAlone,
    EntryShared,
    LongShares,
    BranchStarts,
    BlockAlone,
    ConstantsFree,
    ReplaysLonger,
    ReplaysOn,
    ReplaysMoreLines,
    ReplaysAtOnce,
    ExitFree,
    LinesAlike,
    CopiesJoined,
    CallsJoined,
    ReplaysNew,
    /// Dispatch: what does not fit into a cycle is forgotten; a group has a slot more; the slice that holds more
    /// is taken.
    SpillForgotten,
    GroupWider,
    OtherSlice,
    /// Sources: bypasses are left out; what the fourth source and on are is forgotten; a copy is of no domain, or who adds rename's
    /// constant takes its pipe once.
    BypassForgotten,
    ManyForgotten,
    CopyForgotten,
    CountedOnce,
    /// What is dispatched later sees a result as what is dispatched with it does.
    NeverLater,
    /// Fetch: what is decoded takes half as long.
    DecodedFaster,
    /// Memory: an access across the second boundary and on costs nothing, a flushed load does not learn, or not from which store.
    CrossingForgotten,
    FlushedAgain,
    StoreForgotten,
    /// A load that was dispatched while another execution of it still waited does not wait.
    WaitsAsRun,
    /// Nor one that is dispatched some cycles after it ran too early.
    WaitsNoLonger,
    /// Nor one that has no byte of a late store, but of its word.
    WordForgotten,
    /// One that waits and meets a store counts as one that meets none.
    MetForgotten,
    /// Caches: a load whose line is late takes no pipe twice, banks answer any number, a written line that is pushed out takes no path, use does not make a
    /// line younger, a miss takes no entry of the queue, or no pipe, prefetch runs less far ahead, or too far of what the second
    /// level has, or begins at once, or is forgotten where its path is busy; stores claim any number of lines at once, or in no time, or each claims
    /// its own.
    LateFree,
    BanksFree,
    WriteBackFree,
    UseForgotten,
    MissQueueFree,
    FillFree,
    PrefetchShort,
    NearForgotten,
    PrefetchAtOnce,
    PrefetchLost,
    ClaimsUnbounded,
    ClaimFree,
    ClaimedApart,
    /// In order: one more completes in a cycle, or what may not complete together; younger instructions do not wait for a
    /// condition; a branch is not folded, or completes all the same; it is mispredicted although its registers are known, or its
    /// target is known without them.
    InOrderCompletesMore,
    CompletesTogether,
    FoldedCompletes,
    ConditionForgotten,
    FoldForgotten,
    RegistersUnseen,
    TargetGuessed,
    /// Loops of the trace: the first step is forgotten; leapt over, a window's cycles are.
    StepForgotten,
    WindowForgotten,
}

/// Whether that error is to be made.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn planted(_fault: Fault) -> bool {
    false
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// Has this thread make that error from now on, or none.
#[cfg(test)]
pub(crate) fn plant(fault: Option<Fault>) {
    PLANTED.set(fault);
}
