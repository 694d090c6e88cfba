// A receiver of webhook events, as a client would run one: a real HTTP server on this machine that remembers what it
// heard, byte for byte.
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../src/base/json.ts';
import { type Client, type Door, eventually, listAt } from '../client.ts';
import { listen, type Received } from '../receiver.ts';
import { hub } from './door.ts';

export interface Ears {
  readonly url: string;
  /** As they came. */
  readonly heard: readonly Received[];
  /** The first event of this type, about this project if one is named. */
  until(type: string, project?: string): Promise<Received>;
}

/** Listens until the test ends; answers every event with the status. */
export async function openEars(status = 200): Promise<Ears> {
  const { url, events: heard } = await listen(() => status);
  const until: Ears['until'] = (type, project) =>
    eventually(`${type} is heard`, async () =>
      heard.find(
        (one) => one.type === type && (project === undefined || one.payload['id'] === project),
      ),
    );
  return { url, heard, until };
}

/** Registers in the hub; answers the registration with its secret. Without kinds: none is selected. */
export async function register(
  door: Door,
  url: string,
  events?: readonly string[],
): Promise<JsonObject> {
  const body: JsonObject = events === undefined ? { url } : { url, events };
  const answer = await hub(door, 'POST', '/hub/webhooks', body);
  if (answer.status !== 201)
    throw new Error(`the registration was answered with ${answer.status}: ${answer.bytes}`);
  return answer.body;
}

/** What the log of the hub says of the newest event of a project, once it was tried. */
export async function tried({ door }: Client, project: string): Promise<JsonObject> {
  return await eventually('an event was tried', async () => {
    const { body } = await hub(door, 'GET', `/hub/deliveries?project=${project}`);
    return listAt(body, 'deliveries').find(
      (delivery) => delivery['state'] === 'delivered' || listAt(delivery, 'attempts').length > 0,
    );
  });
}

/** facts.md, Events: the signature of a body under a secret. */
export function signed(secret: string, timestamp: string, raw: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex');
}
