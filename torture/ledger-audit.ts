// An audit of both ledgers: the charges of the service, and the state file of a run.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfBytes } from '../src/base/digest.ts';
import type { JsonObject } from '../src/base/json.ts';
import type { Ledger } from '../src/model/record/ledger.ts';
import type { LocalService } from '../src/service/start.ts';
import { loadState } from '../src/state/load-state.ts';
import { Client, listAt, textAt } from '../test/service/client.ts';
import type { Workspace } from './workspace.ts';

/** A project of the service with its charges. */
export interface Paid {
  readonly project: string;
  /** The name in the request, and the task in that name. */
  readonly name: string;
  readonly task: string;
  /** Credits charged, minus refunds. */
  readonly net: number;
  /** False: the project was deleted. */
  readonly there: boolean;
}

export interface LedgerAudit {
  readonly paid: readonly Paid[];
  readonly balance: number;
  readonly state: Ledger;
}

/** The digest of the file at a path below the pipeline's folder; undefined: there is none. */
export function digestAt(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return digestOfBytes(readFileSync(file));
}

/** The ledger in a state file. Throws if the file cannot be read. */
export async function ledgerAt(state: string): Promise<Ledger> {
  const loaded = await loadState(state);
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value.ledger;
}

/** A text says why the state file cannot be read, which is itself a violation. */
export async function auditLedgers(
  workspace: Workspace,
  service: LocalService,
): Promise<LedgerAudit | string> {
  const loaded = await loadState(workspace.state);
  if (!loaded.ok) return loaded.error;
  return { paid: await paidAt(service), balance: service.balance(), state: loaded.value.ledger };
}

/** The hub shows at most this many projects at once. */
const page = 500;

/** All projects of the service, deleted ones too. */
export async function projectsOf(client: Client): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for (;;) {
    const last = all.at(-1);
    const before = last === undefined ? '' : `&before=${last['seq']}`;
    const { body } = await client.ask('GET', `/hub/projects?limit=${page}${before}`);
    const more = listAt(body, 'projects');
    all.push(...more);
    if (more.length < page) return all;
  }
}

export async function paidAt(service: LocalService): Promise<readonly Paid[]> {
  // The charges first: what a killed runner had sent may still be at work, and would be in one list only.
  const ledger = service.ledger();
  const projects = await projectsOf(new Client(service));
  const there = new Set(
    projects.filter(({ enabled }) => enabled !== false).map((project) => textAt(project, 'id')),
  );
  const sums = new Map<string, { name: string; net: number }>();
  for (const { kind, project, name, credits } of ledger) {
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
