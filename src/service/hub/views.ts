// The facts of the hub as plain data: the JSON of /hub/…, and the content of its pages.
import type { Project } from '../../contract/api/project.ts';
import type { Json } from '../../contract/base/json.ts';
import type { LedgerEntry } from '../base/ledger-entry.ts';
import type { FaultRule } from '../endpoints/fault-schema.ts';
import { recordOf } from '../endpoints/records.ts';
import type { Delivery, DeliveryState } from '../events/deliveries.ts';
import type { Webhook } from '../events/webhooks.ts';
import type { FaultState } from '../faults/faults.ts';
import type { Dependencies } from '../http/dependencies.ts';
import type { KeyRow } from '../store/keys.ts';
import type { StoredProject } from '../store/project-row.ts';

export type ProjectView = Project & {
  readonly seq: number;
  readonly account: string;
  readonly tool: string;
};

export interface ProjectDetails extends ProjectView {
  /** The request, with its defaults filled in. */
  readonly body: Json;
  readonly deliveries: readonly DeliveryView[];
}

export interface KeyView {
  readonly id: number;
  readonly name: string;
  readonly last4: string;
  readonly account: string;
  readonly permissions: readonly string[];
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly account: string;
  readonly created_at: string;
  readonly removed_at: string | null;
}

export interface DeliveryView {
  readonly id: string;
  readonly webhook: string;
  readonly project: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly created_at: string;
  readonly next_at: string | null;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
  }[];
}

export interface LedgerView {
  readonly account: string;
  readonly balance: number;
  readonly entries: readonly LedgerEntry[];
}

export type FaultView = FaultRule & { readonly matched: number; readonly fired: number };

export function projectView(project: StoredProject, { addresses }: Dependencies): ProjectView {
  const { seq, account, tool } = project;
  return { seq, account, tool, ...recordOf(project, addresses) };
}

export function projectDetails(project: StoredProject, dependencies: Dependencies): ProjectDetails {
  const sent = dependencies.deliveries.list({ project: project.id, limit: 500 });
  return {
    ...projectView(project, dependencies),
    body: project.body,
    deliveries: sent.map(deliveryView),
  };
}

export function keyView({ createdAt, revokedAt, ...key }: KeyRow): KeyView {
  return { ...key, created_at: timeOf(createdAt), revoked_at: maybeTimeOf(revokedAt) };
}

export function webhookView({
  id,
  url,
  kinds,
  account,
  createdAt,
  removedAt,
}: Webhook): WebhookView {
  return {
    ...{ id, url, events: kinds, account },
    ...{ created_at: timeOf(createdAt), removed_at: maybeTimeOf(removedAt) },
  };
}

export function deliveryView({
  createdAt,
  nextAt,
  kind,
  attempts,
  ...rest
}: Delivery): DeliveryView {
  return {
    ...rest,
    type: kind,
    created_at: timeOf(createdAt),
    next_at: maybeTimeOf(nextAt),
    attempts: attempts.map(({ at, status, error }) => ({
      at: timeOf(at),
      status: status ?? null,
      error: error ?? null,
    })),
  };
}

export function faultView({ rule, matched, fired }: FaultState): FaultView {
  return { ...rule, matched, fired };
}

const timeOf = (at: number): string => new Date(at).toISOString();
const maybeTimeOf = (at: number | undefined): string | null =>
  at === undefined ? null : timeOf(at);
