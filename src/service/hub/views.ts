// The facts of the hub as plain data: the JSON of /hub/…, and the content of its pages.
import { recordOf } from '../endpoints/records.ts';
import type { Delivery } from '../events/deliveries.ts';
import type { Webhook } from '../events/webhooks.ts';
import type { FaultState } from '../faults/faults.ts';
import type { Dependencies } from '../http/dependencies.ts';
import type { KeyRow } from '../store/keys.ts';
import type { StoredProject } from '../store/project-row.ts';

export type ProjectView = ReturnType<typeof projectView>;
export type ProjectDetails = ReturnType<typeof projectDetails>;
export type KeyView = ReturnType<typeof keyView>;
export type WebhookView = ReturnType<typeof webhookView>;
export type DeliveryView = ReturnType<typeof deliveryView>;
export type FaultView = ReturnType<typeof faultView>;

export function projectView(project: StoredProject, { addresses }: Dependencies) {
  const { seq, account, tool } = project;
  return { seq, account, tool, ...recordOf(project, addresses) };
}

/** With the request, whose defaults are filled in. */
export function projectDetails(project: StoredProject, dependencies: Dependencies) {
  const sent = dependencies.deliveries.list({ project: project.id, limit: 500 });
  return {
    ...projectView(project, dependencies),
    body: project.body,
    deliveries: sent.map(deliveryView),
  };
}

export function keyView({ createdAt, revokedAt, ...key }: KeyRow) {
  return { ...key, created_at: timeOf(createdAt), revoked_at: maybeTimeOf(revokedAt) };
}

export function webhookView({ id, url, kinds, account, createdAt, removedAt }: Webhook) {
  return {
    ...{ id, url, events: kinds, account },
    ...{ created_at: timeOf(createdAt), removed_at: maybeTimeOf(removedAt) },
  };
}

export function deliveryView({ createdAt, nextAt, kind, attempts, ...rest }: Delivery) {
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

export const faultView = ({ rule, matched, fired }: FaultState) => ({ ...rule, matched, fired });

const timeOf = (at: number): string => new Date(at).toISOString();
const maybeTimeOf = (at: number | undefined): string | null =>
  at === undefined ? null : timeOf(at);
