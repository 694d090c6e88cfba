// Both sides' books as they stand: what the service charged, and what the state file of a run says of it.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfBytes } from '../src/contract/base/digest.ts';
import { loadState } from '../src/runner/adapters/state/load-state.ts';
import { type Ledger, memoryStore } from '../src/runner/journal/ledger.ts';
import type { LocalService } from '../src/service/start.ts';
import { Client, listAt, textAt } from '../test/service/client.ts';
import type { Room } from './room.ts';

/** A project of the service, and what it came to. */
export interface Paid {
  readonly project: string;
  /** The name that it was sent with, and the task that the name carries. */
  readonly name: string;
  readonly task: string;
  /** Credits charged, refunds taken off. */
  readonly net: number;
  /** False: it was deleted. */
  readonly there: boolean;
}

export interface Books {
  readonly paid: readonly Paid[];
  readonly balance: number;
  readonly state: Ledger;
}

/** What stands in the place of an output, which is relative to the pipeline's folder; undefined: nothing. */
export function digestAt(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return digestOfBytes(readFileSync(file));
}

/** What a state file folds to. Throws when it cannot be read. */
export async function ledgerAt(state: string): Promise<Ledger> {
  const loaded = await loadState(state, memoryStore());
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value.ledger;
}

/** The text: why the state file cannot be read, which is a violation in itself. */
export async function readBooks(room: Room, service: LocalService): Promise<Books | string> {
  const loaded = await loadState(room.state, memoryStore());
  if (!loaded.ok) return loaded.error;
  return { paid: await paidAt(service), balance: service.balance(), state: loaded.value.ledger };
}

/** As many as the hub shows at once: no round has more. */
const most = 500;

export async function paidAt(service: LocalService): Promise<readonly Paid[]> {
  const { body } = await new Client(service).ask('GET', `/hub/projects?limit=${most}`);
  const projects = listAt(body, 'projects');
  if (projects.length === most) throw new Error(`a round must have fewer than ${most} projects`);
  const there = new Set(
    projects.filter(({ enabled }) => enabled !== false).map((project) => textAt(project, 'id')),
  );
  const sums = new Map<string, { name: string; net: number }>();
  for (const { kind, project, name, credits } of service.ledger()) {
    if (project === null || name === null) continue;
    const { net } = sums.get(project) ?? { net: 0 };
    sums.set(project, { name, net: net + (kind === 'charge' ? credits : -credits) });
  }
  return [...sums].map(([project, { name, net }]) => ({
    ...{ project, name, net, task: taskOf(name), there: there.has(project) },
  }));
}

/** `torture swap:p1.png #abc` is an attempt of `swap:p1.png`. */
const taskOf = (name: string): string => name.replace(/^torture /, '').replace(/ #[0-9a-z]+$/, '');
