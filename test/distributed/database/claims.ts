// Whether a claim must be granted: said once more, from the ledger and from what the world of the model test has done. And all
// the claims that a worker could make about a job, right or wrong, to be held against it.
import { type Ask, commitBatch, type Lease } from '../../../src/distributed/database/batch.ts';
import type { Sql, Statements } from '../../../src/distributed/database/sql.ts';
import type { Ledger } from '../../../src/model/ledger.ts';
import type { JobLine } from '../../../src/model/line.ts';
import { jobFacts } from '../../../src/model/state.ts';
import { intentOf } from './orders.ts';

export interface Standing {
  readonly ledger: Ledger;
  /** The current term. */
  readonly epoch: number;
  /** The number of the last record. */
  readonly read: number;
  /** The number of the last record of a charge that was higher than its estimate. */
  readonly surprise: number;
  /** The delivery that was told to go, by the name of the attempt. */
  readonly owners: ReadonlyMap<string, Lease>;
}

interface Claim {
  readonly ask: Ask;
  /** The lease holds. */
  readonly live: boolean;
}

/** What keeps workers from buying. */
type Brake = 'closed' | 'throttled' | 'importing' | 'cap';

/** Statements that put on a brake. */
const brakes: Readonly<Record<Brake, string>> = {
  closed: `closed = 'why'`,
  throttled: `throttled_until = now() + interval '1 hour'`,
  importing: `stage = 'importing'`,
  // Nothing is left.
  cap: 'cap = charged - refunded + reserved',
};

/** The service certainly did not take the attempt, so its number may be used once more. */
export const mayUseNumberAgain = ({ state, project, credits = 0 }: JobLine): boolean =>
  state === 'failed' && project === undefined && credits === 0;

export function mayGo({ ask, live }: Claim, standing: Standing, brake?: Brake): boolean {
  const { lease, epoch, seen, again, intent } = ask;
  if (!live || brake === 'importing' || epoch !== standing.epoch) return false;
  const line = standing.ledger.job(intent.job);
  const begun = line?.name === intent.name;
  if (begun && line.state !== 'intended') return false;
  if (begun && !isSame(standing.owners.get(intent.name), lease)) return false;
  // The worker lost the answer to its claim.
  if (begun && !again) return true;
  if (brake === 'closed' || brake === 'throttled' || seen < standing.surprise) return false;
  if (begun) return true;
  if (brake === 'cap' || again) return false;
  if (line === undefined) return intent.attempt === 1;
  if (!jobFacts[line.state].mayBegin) return false;
  const isNext = intent.attempt === line.attempt + 1;
  return isNext || (intent.attempt === line.attempt && mayUseNumberAgain(line));
}

const isSame = (a: Lease | undefined, b: Lease): boolean => a?.id === b.id && a.retry === b.retry;

const stranger: Lease = { id: '00000000-0000-0000-0000-000000000000', retry: 0 };

/** A claim with the next number, claims of the current attempt by its owner, and each of them with one thing changed. */
function claimsOf(job: string, { ledger, epoch, read, owners }: Standing): readonly Claim[] {
  const line = ledger.job(job);
  const last = line?.attempt ?? 0;
  const common = { epoch, seen: read, key: 'probe', again: false };
  const numbered = (attempt: number): Claim => ({
    ask: { ...common, lease: stranger, intent: { ...intentOf('', attempt), job, name: 'new' } },
    live: true,
  });
  const right = [numbered(last + 1)];
  const wrong = [last - 1, last, last + 2].filter((attempt) => attempt >= 1).map(numbered);
  const owner = owners.get(line?.name ?? '');
  if (line?.name !== undefined && owner !== undefined) {
    const intent = { ...intentOf('', last, line.reserve), job, name: line.name };
    const own = { ask: { ...common, lease: owner, intent }, live: true };
    right.push(own, { ...own, ask: { ...own.ask, again: true } });
    for (const lease of [stranger, { ...owner, retry: owner.retry + 1 }])
      wrong.push({ ...own, ask: { ...own.ask, lease } });
  }
  for (const one of right)
    wrong.push(
      { ...one, live: false },
      ...[{ epoch: epoch - 1 }, { seen: 0 }, { again: !one.ask.again }].map((change) => ({
        ...one,
        ask: { ...one.ask, ...change },
      })),
    );
  return [...right, ...wrong];
}

/** What the database answers differently. Nothing stays of the claims. */
export async function probe(
  sql: Sql,
  run: string,
  job: string,
  standing: Standing,
): Promise<readonly string[]> {
  const claims = claimsOf(job, standing);
  const wrong: string[] = [];
  for (const brake of [undefined, 'closed', 'throttled', 'importing', 'cap'] as const) {
    const asked = async (asks: readonly Claim[]): Promise<void> =>
      undone(sql, async (within) => {
        if (brake !== undefined)
          await within.query(`update shotlist.run set ${brakes[brake]} where run = $1`, [run]);
        const written = await commitBatch(within, run, 'probe', undefined, { asks });
        // A run that is being imported takes nothing at all.
        const mustBeGone = brake === 'importing';
        if (written === 'over' || (written === 'gone') !== mustBeGone)
          throw new Error(
            `the batch was ${written === 'gone' || written === 'over' ? written : 'written'}`,
          );
        for (const [index, claim] of asks.entries()) {
          const answer = written === 'gone' ? undefined : written.claims[index];
          if ((answer?.is === 'go') !== mayGo(claim, standing, brake))
            wrong.push(`${brake}: ${JSON.stringify([claim, answer])}`);
        }
      });
    const granted = claims.filter((claim) => mayGo(claim, standing, brake));
    // What is refused changes nothing, so it can be asked at once.
    await asked(claims.filter((claim) => !granted.includes(claim)));
    for (const claim of granted) await asked([claim]);
  }
  return wrong;
}

class Undone extends Error {}

async function undone(sql: Sql, work: (within: Statements) => Promise<void>): Promise<void> {
  try {
    await sql.transaction(async (within) => {
      await work(within);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}
