//! What every engine for virtual private servers does, whichever it is.

use std::sync::Arc;

use innkeeper_service::testing::eventually;
use uuid::Uuid;

use super::{EngineError, Observation, RunState, VpsBlueprint, VpsEngine};
use crate::model::{Exit, MachinePort, ObservedState, Protocol, VpsNetwork};

const OFF: EngineError = EngineError::WrongState(ObservedState::Stopped);
const ON: EngineError = EngineError::WrongState(ObservedState::Running);

/// What a guest does after it has booted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuestKind {
    /// Powers off when the power button is pressed.
    Obedient,
    /// Ignores the power button.
    Deaf,
    /// Powers off by itself after a moment.
    PowersOff,
}

/// An engine under test, with machines of its own.
pub(super) trait VpsFixture {
    /// Creates an engine for the machines of this fixture, as a process that starts does.
    fn engine(&self) -> Arc<dyn VpsEngine>;

    /// Returns what a new machine with such a guest is created from.
    fn blueprint(&self, guest: GuestKind) -> VpsBlueprint;

    /// Returns how often the guest has booted in the current run.
    fn boots(&self, machine: Uuid) -> usize;

    /// Ends a run in a way that nobody asked for.
    fn crash(&self, machine: Uuid);

    /// Deletes an image.
    fn lose_image(&self, image: &str);

    /// Takes a port of the host, as another program does.
    fn occupy_port(&self, protocol: Protocol) -> u16;

    /// Gives the port back.
    fn release_port(&self, protocol: Protocol, port: u16);
}

/// Defines one test for each rule, with a fixture that the expression makes.
macro_rules! vps_conformance {
    ($fixture:expr) => {
        $crate::machines::engine::vps_conformance::vps_conformance! { $fixture;
            a_machine_that_was_never_created_is_absent,
            a_guest_that_obeys_the_power_button_is_off_by_its_own_doing,
            a_deaf_guest_stays_on_until_it_is_turned_off,
            a_reset_boots_the_guest_again_in_the_same_run,
            a_guest_can_power_off_by_itself,
            a_crash_is_not_an_end_by_the_guest,
            a_machine_survives_the_engine_object,
            repeated_calls_change_nothing,
            a_machine_that_is_on_is_neither_created_nor_deleted,
            a_missing_image_is_refused,
            a_port_that_is_in_use_is_refused,
            all_machines_are_observed,
        }
    };
    ($fixture:expr; $($rule:ident,)+) => {
        $(
            #[tokio::test]
            async fn $rule() {
                let fixture = $fixture;
                $crate::machines::engine::vps_conformance::$rule(&fixture).await;
            }
        )+
    };
}

pub(super) use vps_conformance;

pub(super) async fn a_machine_that_was_never_created_is_absent(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    let absent = Observation {
        machine,
        run: None,
        state: RunState::Absent,
        started_at: None,
    };
    assert_eq!(engine.observe(machine).await, Ok(absent));
    assert_eq!(engine.observe_all().await, Ok(vec![]));
    assert_eq!(engine.start(&blueprint).await, Err(EngineError::NotFound));
    let button = engine.press_power_button(machine).await;
    assert_eq!(button, Err(EngineError::NotFound));
    assert_eq!(engine.reset(machine).await, Err(EngineError::NotFound));
    assert_eq!(engine.power_off(machine).await, Ok(()));
    assert_eq!(engine.delete(machine).await, Ok(()));
}

pub(super) async fn a_guest_that_obeys_the_power_button_is_off_by_its_own_doing(
    fixture: &impl VpsFixture,
) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    assert_eq!(state(&engine, machine).await, RunState::Created);
    assert_eq!(engine.press_power_button(machine).await, Err(OFF));
    assert_eq!(engine.reset(machine).await, Err(OFF));

    let run = booted(fixture, &engine, &blueprint).await;
    engine.press_power_button(machine).await.unwrap();
    let ended = until_exited(&engine, machine).await;
    assert!(exit_of(&ended).by_guest, "{ended:?}");
    assert_eq!((ended.run, ended.started_at), (run.run, run.started_at));
    assert_eq!(engine.press_power_button(machine).await, Err(OFF));
    assert_eq!(engine.reset(machine).await, Err(OFF));
}

pub(super) async fn a_deaf_guest_stays_on_until_it_is_turned_off(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Deaf);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    booted(fixture, &engine, &blueprint).await;
    engine.press_power_button(machine).await.unwrap();
    // It lives for as long as a boot takes.
    engine.reset(machine).await.unwrap();
    eventually("it boots again", async || fixture.boots(machine) == 2).await;
    assert_eq!(state(&engine, machine).await, RunState::Running);

    engine.power_off(machine).await.unwrap();
    let exit = exit_of(&engine.observe(machine).await.unwrap());
    assert!(!exit.by_guest && !exit.out_of_memory, "{exit:?}");
}

pub(super) async fn a_reset_boots_the_guest_again_in_the_same_run(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    let run = booted(fixture, &engine, &blueprint).await;
    engine.reset(machine).await.unwrap();
    eventually("it boots again", async || fixture.boots(machine) == 2).await;
    assert_eq!(engine.observe(machine).await, Ok(run));
}

pub(super) async fn a_guest_can_power_off_by_itself(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::PowersOff);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    let ended = until_exited(&engine, machine).await;
    assert!(exit_of(&ended).by_guest, "{ended:?}");
    // That is still the reason after it was turned off again.
    engine.power_off(machine).await.unwrap();
    assert_eq!(engine.observe(machine).await, Ok(ended.clone()));
    // Only a new run changes it.
    engine.create(&blueprint).await.unwrap();
    assert_eq!(state(&engine, machine).await, RunState::Created);
    engine.start(&blueprint).await.unwrap();
    let next = until_exited(&engine, machine).await;
    assert_ne!(next.run, ended.run);
}

pub(super) async fn a_crash_is_not_an_end_by_the_guest(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    let run = booted(fixture, &engine, &blueprint).await;
    fixture.crash(machine);
    let ended = until_exited(&engine, machine).await;
    assert_eq!(ended.run, run.run);
    assert!(!exit_of(&ended).by_guest, "{ended:?}");
    assert_eq!(engine.press_power_button(machine).await, Err(OFF));
    assert_eq!(engine.power_off(machine).await, Ok(()));
    assert_eq!(engine.observe(machine).await, Ok(ended));

    engine.create(&blueprint).await.unwrap();
    let next = booted(fixture, &engine, &blueprint).await;
    assert_ne!(next.run, run.run);
}

pub(super) async fn a_machine_survives_the_engine_object(fixture: &impl VpsFixture) {
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    let run = {
        let engine = fixture.engine();
        engine.create(&blueprint).await.unwrap();
        booted(fixture, &engine, &blueprint).await
    };
    let engine = fixture.engine();
    assert_eq!(engine.observe(machine).await, Ok(run.clone()));
    assert_eq!(engine.start(&blueprint).await, Ok(()));
    engine.press_power_button(machine).await.unwrap();
    let ended = until_exited(&engine, machine).await;
    assert_eq!(ended.run, run.run);
    assert_eq!(fixture.engine().observe(machine).await, Ok(ended));
}

pub(super) async fn repeated_calls_change_nothing(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.create(&blueprint).await.unwrap();
    assert_eq!(engine.power_off(machine).await, Ok(()));
    assert_eq!(state(&engine, machine).await, RunState::Created);
    let run = booted(fixture, &engine, &blueprint).await;
    engine.start(&blueprint).await.unwrap();
    assert_eq!(engine.observe(machine).await, Ok(run));
    assert_eq!(fixture.boots(machine), 1);

    engine.power_off(machine).await.unwrap();
    let ended = engine.observe(machine).await;
    engine.power_off(machine).await.unwrap();
    assert_eq!(engine.observe(machine).await, ended);

    engine.delete(machine).await.unwrap();
    engine.delete(machine).await.unwrap();
    assert_eq!(state(&engine, machine).await, RunState::Absent);
    assert_eq!(engine.start(&blueprint).await, Err(EngineError::NotFound));
}

pub(super) async fn a_machine_that_is_on_is_neither_created_nor_deleted(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    let run = booted(fixture, &engine, &blueprint).await;
    assert_eq!(engine.create(&blueprint).await, Err(ON));
    assert_eq!(engine.delete(machine).await, Err(ON));
    assert_eq!(engine.observe(machine).await, Ok(run));
}

pub(super) async fn a_missing_image_is_refused(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let before = fixture.blueprint(GuestKind::Obedient);
    engine.create(&before).await.unwrap();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let image = &blueprint.spec.image;
    fixture.lose_image(image);
    let reason = format!("the image {image} does not exist");
    let refused = Err(EngineError::Refused(reason));
    assert_eq!(engine.create(&blueprint).await, refused);
    assert_eq!(state(&engine, blueprint.machine).await, RunState::Absent);
    // A disk is of no use without the image below it.
    assert_eq!(engine.start(&before).await, refused);
    assert_eq!(state(&engine, before.machine).await, RunState::Created);
}

pub(super) async fn a_port_that_is_in_use_is_refused(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    for protocol in [Protocol::Tcp, Protocol::Udp] {
        let mut blueprint = fixture.blueprint(GuestKind::Obedient);
        blueprint.spec.network = VpsNetwork::User;
        let port = fixture.occupy_port(protocol);
        blueprint.ports.push(MachinePort {
            protocol,
            host_port: port,
            machine_port: 80,
        });
        engine.create(&blueprint).await.unwrap();
        let reason = format!("the {protocol} port {port} is in use");
        let refused = engine.start(&blueprint).await;
        assert_eq!(refused, Err(EngineError::Refused(reason)));
        let machine = blueprint.machine;
        assert_eq!(state(&engine, machine).await, RunState::Created);
        fixture.release_port(protocol, port);
        booted(fixture, &engine, &blueprint).await;
    }
}

pub(super) async fn all_machines_are_observed(fixture: &impl VpsFixture) {
    let engine = fixture.engine();
    let machines = [GuestKind::Obedient, GuestKind::Deaf].map(|kind| fixture.blueprint(kind));
    for blueprint in &machines {
        engine.create(blueprint).await.unwrap();
    }
    let [running, created] = &machines;
    booted(fixture, &engine, running).await;
    let mut all = engine.observe_all().await.unwrap();
    let mut each = Vec::new();
    for blueprint in [running, created] {
        each.push(engine.observe(blueprint.machine).await.unwrap());
    }
    let states = [RunState::Running, RunState::Created];
    assert_eq!(each.iter().map(|one| one.state).collect::<Vec<_>>(), states);
    all.sort_by_key(|observation| observation.machine);
    each.sort_by_key(|observation| observation.machine);
    assert_eq!(all, each);
}

fn exit_of(observation: &Observation) -> Exit {
    match observation.state {
        RunState::Exited(exit) => exit,
        _ => panic!("{observation:?}"),
    }
}

async fn state(engine: &Arc<dyn VpsEngine>, machine: Uuid) -> RunState {
    engine.observe(machine).await.unwrap().state
}

/// Turns a machine on and waits until its guest has booted.
async fn booted(
    fixture: &impl VpsFixture,
    engine: &Arc<dyn VpsEngine>,
    blueprint: &VpsBlueprint,
) -> Observation {
    engine.start(blueprint).await.unwrap();
    let machine = blueprint.machine;
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    let run = engine.observe(machine).await.unwrap();
    assert_eq!(run.state, RunState::Running);
    assert!(run.run.is_some(), "{run:?}");
    run
}

async fn until_exited(engine: &Arc<dyn VpsEngine>, machine: Uuid) -> Observation {
    eventually("the run has ended", async || {
        let observation = engine.observe(machine).await.unwrap();
        match observation.state {
            RunState::Exited(_) => Ok(observation),
            _ => Err(observation),
        }
    })
    .await
}
