// What a run holds open, besides its state: the receiver of events, disk space, the service.

import { existsSync } from 'node:fs';
import { Cleanup } from '../../base/cleanup.ts';
import { ok } from '../../base/result.ts';
import type { Account } from '../../contract/api/project.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Plan } from '../../core/plan-table.ts';
import { unsettledActions } from '../../core/planned-action.ts';
import type { OutputStore } from '../../core/ports.ts';
import { Refusal } from '../../language/load/refusal.ts';
import type { WebhookInbox } from '../../run/jobs/webhook-inbox.ts';
import {
  balanceOf,
  checkService,
  pays,
  type ServiceCheck,
} from '../../service-api/check-service.ts';
import {
  type Connection,
  connectService,
  rehearsalTier,
} from '../../service-api/connect-service.ts';
import { openInbox } from '../../service-api/webhooks.ts';
import { type DiskReserve, nothingReserved, takeDiskReserve } from '../../state/disk-reserve.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { checkStore, openStore } from '../../stores/open-store.ts';
import { generationsOn, refuseBeyondPlan, statedPrices } from '../planning/refusals.ts';
import { refuse } from '../refuse.ts';
import type { PreparedRun } from './context.ts';

export interface RunResources extends AsyncDisposable {
  /** Undefined if the run receives no events. */
  readonly inbox: WebhookInbox | undefined;
  readonly diskReserve: DiskReserve;
  readonly service: Connection;
  /** Undefined if the pipeline names no store. */
  readonly store: OutputStore | undefined;
  /** Ends transfers to and from the store immediately. */
  cutStore(): void;
  /** The account, as far as the service was asked. */
  readonly account: AccountFacts;
}

/** Sends only free requests. Nothing is bought before this has succeeded. */
export async function openResources(run: PreparedRun): Promise<RunResources> {
  const { prepared, target, options, clock, redactor, onEvent } = run;
  const { bound, paths, planned, state } = prepared;
  await using cleanup = new Cleanup();
  const receiver = await openInbox(run.webhooks, state.ledger, { redactor, clock, onEvent });
  cleanup.defer(() => receiver.close());
  const { api, record } = run.internals;
  const diskReserve =
    record === undefined ? await takeDiskReserve(paths.diskReserve) : ok(nothingReserved);
  if (!diskReserve.ok)
    return refuse(
      `the disk space for the journal could not be reserved: ${diskReserve.error}`,
      'nothing was sent; free some space or check the disk, then run again',
    );
  cleanup.defer(() => diskReserve.value.remove());
  const { signal } = options;
  const { asleep } = run;
  const asked = { redactor, clock, signal, asleep, api };
  const checked = await checkService(target, planned.plan, asked);
  const diagnostics = reportAccount(checked, run);
  if (diagnostics.length > 0) throw new Refusal({ reason: 'input', diagnostics, text: bound.text });
  const account = accountFacts(checked, run);
  const cut = new AbortController();
  const opened = run.store === undefined ? undefined : await openStore(run.store, cut.signal);
  if (opened !== undefined) cleanup.defer(() => opened[Symbol.asyncDispose]());
  const store = opened?.store;
  if (store !== undefined && savesAnything(planned.plan)) {
    await checkStore(store);
  }
  if (target.kind === 'rehearsal' && state.header !== undefined && !existsSync(paths.serviceData))
    onEvent({ type: 'warning', message: movedText(paths) });
  const service = await connectService({
    target,
    clock,
    folders: paths,
    stated: statedPrices(bound),
    speed: options.rehearsalSpeed ?? 'instant',
    pictures: options.rehearsalPictures ?? 'real',
  });
  cleanup.defer(() => service.close());
  const kinds = new Set(bound.pipeline.steps.map((step) => step.kind.name));
  for (const message of service.notes?.(kinds) ?? []) onEvent({ type: 'note', message });
  const held = cleanup.move();
  return {
    inbox: receiver.inbox,
    diskReserve: diskReserve.value,
    service,
    store,
    account,
    cutStore: () => cut.abort(),
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

/** What the state file says of projects is not known to a service that has no data yet. */
const movedText = ({ runFolder }: RunPaths): string =>
  `the local service of this rehearsal is not here: the folder was moved or copied, or the rehearsal is another user's; to start it over, remove ${runFolder}`;

const savesAnything = ({ rows }: Plan): boolean =>
  rows.some(({ tasks }) => Object.keys(tasks).some((action) => unsettledActions.has(action)));
/** `asked`: false if the tier is not known because nothing was sent. */
export interface AccountFacts {
  readonly asked: boolean;
  readonly tier: string | undefined;
  /** What the service says; undefined if it was not asked, or has no account endpoint. */
  readonly read: Account | undefined;
  /** Credits that are left; undefined if the service does not say. */
  readonly balance: number | undefined;
}

/** Says once how many projects the account's plan has in progress at once. */
function accountFacts(
  { account }: ServiceCheck,
  { target, prepared, onEvent }: PreparedRun,
): AccountFacts {
  const rehearsal = target.kind === 'rehearsal';
  const reported = account?.ok === true ? account.value?.tier : undefined;
  const tier = rehearsal ? rehearsalTier : reported;
  const most = generationsOn(tier);
  if (most !== undefined && tier !== undefined && pays(prepared.planned.plan))
    onEvent({ type: 'generations', most, tier });
  const balance = !rehearsal && account?.ok === true ? account.value?.credits : undefined;
  const read = account?.ok === true ? account.value : undefined;
  return { asked: rehearsal || account?.ok === true, tier, balance, read };
}

/** Reports the account's balance; returns what the account's plan does not include. */
function reportAccount(
  { account }: ServiceCheck,
  { prepared, onEvent }: PreparedRun,
): readonly Diagnostic[] {
  const { bound, planned } = prepared;
  if (account === undefined) return [];
  const { credits: balance, tier, warning } = balanceOf(planned.plan, account);
  if (balance !== undefined) onEvent({ type: 'account', balance, tier });
  if (warning !== undefined) onEvent({ type: 'warning', message: warning });
  return refuseBeyondPlan(planned.findings, tier, bound);
}
