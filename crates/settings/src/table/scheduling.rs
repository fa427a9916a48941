//! The rows of the table that say which rank runs when, and who drives the network.

use super::choices;
use crate::{Category, Id, Kind, Preset, Scope, Setting, Spelling, Verbosity};

pub(super) const POLICY: Setting = Setting {
    id: Id::Policy,
    name: "policy",
    options: &[Spelling::Takes("policy")],
    variables: &["SIMURGH_POLICY"],
    kind: Kind::WordOrPath(choices::POLICY, "FILE"),
    preset: Preset::Value(0),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::UserDetail,
    doc: "which ranks idle virtual processors take over, and who drives the network between hosts; wq: whoever \
          waits, nd: virtual processors of their own, nd+wq: both, sleep: both, the former asleep until they are \
          needed; affine: as wq, but ranks stay where they share memory or a cache; balance: ranks move for good, by \
          measured load; anticipate: as wq, but the communication so far decides when the network is looked after; \
          purpose: as wq, but ranks run when and where their purpose of the moment demands; FILE: a shared library \
          with a policy (simurgh_policy.h)",
};

pub(super) const STEAL_WITHIN: Setting = Setting {
    id: Id::StealWithin,
    name: "steal_within",
    options: &[Spelling::Takes("steal-within")],
    variables: &["SIMURGH_STEAL_WITHIN"],
    kind: Kind::Choice(choices::STEAL_WITHIN),
    preset: Preset::Value(1),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "with the policy affine, the hardware that a rank does not leave when an idle virtual processor takes it \
          over; where the machine has none of this kind, the next wider kind",
};

pub(super) const IO_VPS: Setting = Setting {
    id: Id::IoVps,
    name: "io_vps",
    options: &[Spelling::Takes("io-vps")],
    variables: &["SIMURGH_IO_VPS"],
    kind: Kind::Count { least: 0, most: 64 },
    preset: Preset::Value(1),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "with the policy purpose, the virtual processors without cores of their own on which ranks go on that say \
          that they are about I/O; with 0 such ranks stay where they are",
};

pub(super) const BALANCE_PERIOD: Setting = Setting {
    id: Id::BalancePeriod,
    name: "balance_period",
    options: &[Spelling::Takes("balance-period")],
    variables: &["SIMURGH_BALANCE_PERIOD"],
    kind: Kind::Time,
    preset: Preset::Value(50),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "with the policy balance, the processor time for which the load of ranks is measured, twice, before ranks \
          move; longer if the two measurements differ",
};

pub(super) const BALANCE_GAIN: Setting = Setting {
    id: Id::BalanceGain,
    name: "balance_gain",
    options: &[Spelling::Takes("balance-gain")],
    variables: &["SIMURGH_BALANCE_GAIN"],
    kind: Kind::Count { least: 1, most: 100 },
    preset: Preset::Value(5),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "with the policy balance, the percentage of the largest load of a virtual processor by which moves have to \
          lower it; otherwise ranks stay where they are",
};

pub(super) const PROFILE_OUT: Setting = Setting {
    id: Id::ProfileOut,
    name: "profile_out",
    options: &[Spelling::Takes("profile-out")],
    variables: &["SIMURGH_PROFILE_OUT"],
    kind: Kind::Path("FILE"),
    preset: Preset::Absent("no profile"),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "write to FILE at the end how many messages and bytes have gone from whom to whom, with those that \
          collectives and one-sided operations stand for; FILE.N for process N if there are several; needs ranks \
          that are threads",
};

pub(super) const PLACE_BY: Setting = Setting {
    id: Id::PlaceBy,
    name: "place_by",
    options: &[Spelling::Takes("place-by")],
    variables: &["SIMURGH_PLACE_BY"],
    kind: Kind::Path("FILE"),
    preset: Preset::Absent("as the policy says"),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "have ranks that send much to each other, by the FILE that profile_out has written in an earlier run, begin \
          near each other, on one virtual processor or on two that share a cache",
};

pub(super) const NETWORK_VPS: Setting = Setting {
    id: Id::NetworkVps,
    name: "network_vps",
    options: &[Spelling::Takes("network-vps")],
    variables: &["SIMURGH_NETWORK_VPS"],
    kind: Kind::Count { least: 1, most: 64 },
    preset: Preset::Value(1),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::UserDetail,
    doc: "virtual processors dedicated to the network, if the policy wants any",
};

pub(super) const NETWORK_CORE: Setting = Setting {
    id: Id::NetworkCore,
    name: "network_core",
    options: &[Spelling::Takes("network-core")],
    variables: &["SIMURGH_NETWORK_CORE"],
    kind: Kind::Count { least: 0, most: 4095 },
    preset: Preset::Absent("reserved cores, cores that ranks leave, or any"),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::TunerBasic,
    doc: "core of each node, counted from 0, on which virtual processors dedicated to the network run, those of \
          all its processes, whether it is reserved or not; more of them take the cores behind it",
};

pub(super) const RESERVE_CORES: Setting = Setting {
    id: Id::ReserveCores,
    name: "reserve_cores",
    options: &[Spelling::Takes("reserve-cores")],
    variables: &["SIMURGH_RESERVE_CORES"],
    kind: Kind::Count { least: 0, most: 4095 },
    preset: Preset::Value(0),
    scope: Scope::Start,
    category: Category::Scheduling,
    verbosity: Verbosity::UserDetail,
    doc: "cores of each node, the last ones, on which no rank runs: they are for virtual processors dedicated to the \
          network, for other threads of the library, and for the system",
};
