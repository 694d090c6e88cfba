// Opens a state file: checks that it is shotlist's own, that no other process works on it, and that it belongs to this
// pipeline.

import { Cleanup } from '../base/cleanup.ts';
import { count } from '../base/text.ts';
import type { Env } from '../base/user-folder.ts';
import type { Clock } from '../core/ports.ts';
import type { Term } from '../distributed/database.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem, Refusal, stateProblem } from '../language/load/refusal.ts';
import type { Header, MarkLine } from '../model/record/line.ts';
import { formatVersion } from '../model/record/schemas.ts';
import { copiesOf } from '../state/copies.ts';
import { type Holder, holderOf } from '../state/live.ts';
import { joinOther, type OtherRecord } from '../state/load-record.ts';
import { type Loaded, loadState } from '../state/load-state.ts';
import { type LocateOptions, lineAbout } from '../state/locate-state.ts';
import type { Lock } from '../state/lock.ts';
import { type Access, lockState, type StateContext, strangerTo } from '../state/lock-state.ts';
import type { Receipts } from '../state/receipts.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { paidTwiceOf, paidTwiceText } from '../views/paid-twice-text.ts';
import { gitRecords } from './git/records.ts';
import type { RunInternals } from './internals.ts';
import { joinOwnReceipts, openReceipts } from './open-receipts.ts';
import { refuse, refuseIf } from './refuse.ts';

/** For a command about an existing state file. */
export interface ReadOptions extends LocateOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

/** The record of a run in a database. `term`: the right to write it; whoever only reads has none. */
export interface EngineRecord {
  readonly rows: OtherRecord;
  readonly term?: Term | undefined;
}

interface OpenContext extends StateContext {
  readonly service?: string;
  /** Says where the receipts and git are. Undefined: the file is not compared with them. */
  readonly env: Env | undefined;
  readonly internals?: RunInternals | undefined;
  /** Of a run with an engine. */
  readonly engine?: EngineRecord | undefined;
}

export interface OpenState extends AsyncDisposable {
  /** As given; without `hashes` if a plan cannot keep any. */
  readonly paths: RunPaths;
  readonly state: Loaded;
  /** With `read` only: the process that is using the file. */
  readonly running: Holder | undefined;
  /** Undefined where the state file is not compared with them. */
  readonly receipts?: Receipts | undefined;
  /** Undefined where nothing is locked. */
  readonly lock?: Pick<Lock, 'isStill'> | undefined;
}

export async function openState(
  bound: BoundPipeline,
  paths: RunPaths,
  access: Access,
  context: OpenContext,
): Promise<OpenState> {
  const { service, env, internals, onWarning, engine } = context;
  if (internals?.record !== undefined) {
    const state = await loaded(bound, paths, { text: internals.record.text() });
    const own = { paths: { ...paths, hashes: undefined }, state, running: undefined };
    return withReceipts({ ...own, [Symbol.asyncDispose]: nothing }, bound, access, context);
  }
  await using cleanup = new Cleanup();
  const locked = await lockState(paths, access, context);
  cleanup.defer(() => locked[Symbol.asyncDispose]());
  // Asked before the file is read: if the run ends meanwhile, nothing in the file looks unfinished.
  const running = access === 'read' ? holderOf(paths) : undefined;
  const git = env === undefined ? undefined : await gitRecords(paths, env, access !== 'read');
  const found = await loaded(bound, paths, { others: git?.records ?? [] });
  if (found.record.isClean) await git?.remember();
  const repair = lineAbout(bound, paths, 'repair');
  const { header, warnings } = found;
  refuseIf(header && strangerTo(header, paths.state, bound.name, service));
  const state = engine === undefined ? found : await joinedRows(found, engine, repair);
  const { away } = state;
  if (away !== undefined) {
    const elsewhere = awayProblem(paths.state, away, repair);
    // What the file lacks would be planned, and paid, again.
    if (access !== 'read') refuseIf(elsewhere);
    for (const { message } of elsewhere.diagnostics) onWarning(message);
  }
  // A run that is writing may be in the middle of its last line.
  if (running === undefined) warnings.forEach(onWarning);
  const own = { paths: locked.paths, lock: locked.lock, state, running };
  const opened = withReceipts({ ...own, [Symbol.asyncDispose]: nothing }, bound, access, context);
  cleanup.defer(() => opened[Symbol.asyncDispose]());
  const paidTwice = opened.state.ledger.paidTwice().map(paidTwiceOf);
  if (paidTwice.length > 0) onWarning(paidTwiceText(paidTwice, `${repair} --accept`));
  const lacks = lacking(opened.state, repair, copiesOf(paths.state));
  if (lacks !== undefined && access !== 'edit') {
    if (access === 'run') throw new Refusal(problem(lacks.what, 'the state file', lacks.cure));
    onWarning(`${lacks.what}: ${lacks.cure}`);
  }
  const held = cleanup.move();
  return { ...opened, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
}

const nothing = async (): Promise<void> => undefined;

async function loaded(
  bound: BoundPipeline,
  paths: RunPaths,
  from: Parameters<typeof loadState>[1],
): Promise<Loaded> {
  const state = await loadState(paths.state, from);
  if (state.ok) return state.value;
  throw new Refusal(stateProblem(state.error, paths.state, lineAbout(bound, paths, 'repair')));
}

/** Joins what the receipts know of the state file. Who disposes of it closes them. */
function withReceipts(
  opened: OpenState,
  bound: BoundPipeline,
  access: Access,
  { env, clock, onWarning }: OpenContext,
): OpenState {
  const { paths, state, running } = opened;
  if (env === undefined) return opened;
  const { ledger, header, away, record } = state;
  const writes = access === 'run' || access === 'edit';
  const about = { bound, paths, service: header?.service, env, clock, onWarning };
  const receipts = openReceipts({ ...about, ledger, writes });
  const isQuiet = away !== undefined || running !== undefined;
  const { isNews = false, notice } = isQuiet ? {} : joinOwnReceipts(receipts, state, paths, writes);
  if (notice !== undefined) onWarning(notice);
  return {
    ...opened,
    receipts,
    // The file does not say it yet.
    state: isNews ? { ...state, record: { ...record, isClean: false } } : state,
    async [Symbol.asyncDispose]() {
      receipts.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Creations that are in no record, for which nothing is bought. `repair`: the command line. */
function lacking(
  { ledger, header }: Loaded,
  repair: string,
  copies: readonly string[],
): { readonly what: string; readonly cure: string } | undefined {
  const cure = `${repair} shows what can be found`;
  const marked = ledger.marks().filter(({ mark }) => mark === 'lost');
  const missing = [...ledger.missing(), ...marked];
  const creations = missing.reduce((sum, one) => sum + (one.creations ?? 0), 0);
  if (missing.length > 0) {
    const lost =
      creations > 0
        ? `${count(creations, 'creation')} of earlier runs are`
        : 'what damaged lines said is';
    return { what: `${lost} in no record, so nothing is bought`, cure };
  }
  if (copies.length > 0) {
    const names = copies.map((copy) => shownPath(copy)).join(', ');
    const what = `another program left a copy of the state file, which may have payments that this one does not have: ${names}`;
    return { what, cure: `${repair} --write joins it; then remove the copy` };
  }
  if (header === undefined || !ledger.isEmpty) return undefined;
  return { what: 'the state file has only its header: lines are missing', cure };
}

/** For commands that need a state file. */
export function headerOf({ state, paths }: OpenState, bound: BoundPipeline): Header {
  if (state.header !== undefined) return state.header;
  // The file is gone, and the receipts know what it had.
  if (state.ledger.size > 0 && paths.serviceName !== '')
    return { shotlist: formatVersion, pipeline: bound.name, service: paths.serviceName };
  const hint = `${lineAbout(bound, paths, 'run')} creates it`;
  refuse(`there is no state file yet: ${paths.state}`, hint, bound.file);
}

/** A run with an engine has not ended. `repair`: the command line. */
function awayProblem(state: string, { at: since }: MarkLine, repair: string): Problem {
  return problem(
    `the record of ${state} has been in a database since ${since}`,
    'shotlist',
    `nothing was sent, because the file may lack payments: run it with --engine once more, which brings the record back. If the database is gone: ${acceptance(repair)}`,
  );
}

const acceptance = (repair: string): string =>
  `${repair} --accept; then compare the file with the service (shotlist audit) before you run it`;

/** The record of the file, with all that the rows know. Refuses rows that may be less than a coordinator has written. */
async function joinedRows(
  state: Loaded,
  { rows, term }: EngineRecord,
  repair: string,
): Promise<Loaded> {
  const { ledger, record } = state;
  const standing = term === undefined ? [] : ledger.marks().filter(({ mark }) => mark === 'away');
  for (const mark of standing) {
    const { id, epoch = 0, creations = 0 } = mark;
    const cure = `nothing was sent. If this is the right database: ${acceptance(repair)}`;
    if (id !== term?.run)
      refuse(`${rows.name} does not have the run that the state file says is there`, cure);
    if (epoch > term.marked || creations > term.attempts)
      refuse(
        `${rows.name} is older than the state file, so it lacks payments: it was restored, or failed over`,
        cure,
      );
  }
  const { isNews, problem: unread } = await joinOther(ledger, rows);
  if (unread !== undefined) refuse(unread, 'all hosts must use the same version of shotlist');
  return { ...state, away: undefined, record: isNews ? { ...record, isClean: false } : record };
}
