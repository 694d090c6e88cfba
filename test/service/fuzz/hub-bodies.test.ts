// Whatever is posted to the hub, it is done or refused in words: a refusal changes nothing, and no page of the hub
// takes what was sent for markup.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { type Answer, listAt, send, textAt } from '../client.ts';
import { besiege, expectAlive, expectDecent, frozen, tries } from './siege.ts';
import { anyBody, mutated, varied, wildForm } from './wild-json.ts';

const siege = await besiege({ ...frozen, credits: Number.MAX_SAFE_INTEGER });
const { local, client } = siege;

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

function post(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return send(local.address, { method: 'POST', path, headers, body });
}

async function made(path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await post(path, JSON.stringify(body), json);
  if (answer.status !== 201) throw new Error(`${path} was answered with ${answer.status}`);
  return answer.body;
}

/** A field as it stands in a path. */
const idOf = (row: JsonObject): string => `${row['id']}`;

const account = idOf(
  await made('/hub/accounts', { email: 'a@example.com', tier: 'free', credits: 5 }),
);
const webhook = idOf(await made('/hub/webhooks', { url: 'http://127.0.0.1:9/hook', account }));
const key = await made('/hub/keys', { name: 'of the fuzz', account });
const text = await client.create('text-to-video', { end_seconds: 3, style: { prompt: 'x' } });
const project = textAt(text, 'id');

const rule = { fault: 'throttled', on: 'POST /v1/photo-colorizer', probability: 0.5, count: 2 };
const targets: readonly (readonly [string, JsonObject])[] = [
  ['/hub/accounts', { email: 'b@example.com', tier: 'creator', credits: 10 }],
  [`/hub/accounts/${account}/tier`, { tier: 'business' }],
  [`/hub/accounts/${account}/credits`, { credits: 10 }],
  ['/hub/keys', { name: 'another', permissions: ['upload', 'read'], account }],
  [`/hub/keys/${idOf(key)}/revoke`, {}],
  [`/hub/projects/${project}/cancel`, { refund: false }],
  ['/hub/webhooks', { url: 'https://example.com/hook', events: ['image.completed'], account }],
  [`/hub/webhooks/${webhook}/remove`, {}],
  ['/hub/deliveries/1/replay', {}],
  ['/hub/faults', { faults: [rule, { fault: 'latency', for: '5ms', up_to: '1s', skip: 1 }] }],
  ['/hub/faults', { faults: [{ fault: 'job-error', code: 'x', message: 'y', on: ['a*', '*'] }] }],
  ['/hub/faults/clear', {}],
];

const lists = ['accounts', 'keys', 'webhooks', 'faults', 'projects', 'ledger', 'deliveries'];

/** Everything that a post may change. */
async function state(): Promise<string> {
  const paths = [...lists, `ledger?account=${account}`].map((name) => `/hub/${name}`);
  const answers = await Promise.all(
    paths.map((path) => send(local.address, { method: 'GET', path })),
  );
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return answers.map(({ bytes }) => bytes.toString()).join('\n');
}

let known = await state();

async function fire(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await post(path, body, headers);
  const about = `POST ${path} ${body.slice(0, 300)}`;
  expectDecent(answer, about);
  // A fault that was taken would happen to what this file asks next.
  if (path === '/hub/faults' && answer.status < 400)
    expect((await post('/hub/faults/clear', '{}', json)).status).toBe(200);
  const now = await state();
  if (answer.status >= 400) expect(now, about).toBe(known);
  known = now;
}

test.each(targets)('POST %s answers every change of a valid body', async (path, body) => {
  const property = fc.asyncProperty(fc.oneof(mutated(body), varied(body)), async (changed) => {
    await fire(path, changed, json);
  });
  await fc.assert(property, { seed: 1, numRuns: tries(30) });
  await expectAlive(siege);
});

test('any JSON, and what is none, is answered at every path', async () => {
  const path = fc.constantFrom(...targets.map(([one]) => one));
  const property = fc.asyncProperty(path, anyBody, async (at, body) => {
    await fire(at, body, json);
  });
  await fc.assert(property, { seed: 2, numRuns: tries(100) });
  await expectAlive(siege);
});

test('any form is answered at every path', async () => {
  const path = fc.constantFrom(...targets.map(([one]) => one));
  const property = fc.asyncProperty(path, wildForm, async (at, body) => {
    await fire(at, body, form);
  });
  await fc.assert(property, { seed: 3, numRuns: tries(130) });
  await expectAlive(siege);
});

test('credits stay whole numbers that can be read back, whatever is added and taken', async () => {
  const { id } = await made('/hub/accounts', { credits: 0 });
  const amount = fc.oneof(
    fc.constantFrom(1, -1, 1e12, -1e12, 1e12 + 1, 2 ** 53, 1 - 2 ** 53, 2 ** 63, 1e308, -1e308),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  // The local account has as many as a number can hold.
  const of = fc.constantFrom(`${id}`, 'local');
  const property = fc.asyncProperty(of, amount, async (holder, credits) => {
    const about = `${credits} for ${holder}`;
    const answer = await post(`/hub/accounts/${holder}/credits`, JSON.stringify({ credits }), json);
    expectDecent(answer, about);
    const path = `/hub/ledger?account=${holder}`;
    const { status, body } = await send(local.address, { method: 'GET', path });
    const balance = Number(body['balance']);
    expect(status, about).toBe(200);
    expect(Number.isSafeInteger(balance) && balance >= 0, `${about}: ${balance}`).toBe(true);
    if (answer.status < 400) expect(answer.body['credits'], about).toBe(balance);
    const moved = listAt(body, 'entries').map(({ kind, credits: some }) =>
      kind === 'charge' ? -Number(some) : Number(some),
    );
    expect(
      moved.reduce((sum, one) => sum + one, 0),
      about,
    ).toBe(balance);
  });
  await fc.assert(property, { seed: 4, numRuns: tries(80) });
  await expectAlive(siege);
});

test('what was sent is shown as text, never as markup', async () => {
  const markup = '<script>alert(1)</script>';
  const nasty = `"><b onload='x'>${markup}<!-- \u2028 </title></textarea>{{7*7}}`;
  const sent: readonly (readonly [string, JsonObject])[] = [
    ['/hub/accounts', { email: nasty }],
    ['/hub/keys', { name: nasty }],
    ['/hub/webhooks', { url: `https://example.com/${nasty}` }],
    [
      '/v1/text-to-video',
      { name: nasty, end_seconds: 3, style: { prompt: nasty }, [nasty]: nasty },
    ],
  ];
  for (const [path, body] of sent) {
    const headers = { ...json, authorization: `Bearer ${local.key}` };
    expect([200, 201, 400]).toContain((await post(path, JSON.stringify(body), headers)).status);
  }
  const projects = await send(local.address, { method: 'GET', path: '/hub/projects?limit=1' });
  const id = textAt(listAt(projects.body, 'projects')[0] ?? {}, 'id');
  for (const name of ['', '/', ...lists.map((list) => `/${list}`), `/projects/${id}`]) {
    const headers = { accept: 'text/html' };
    const page = await send(local.address, { method: 'GET', path: `/hub${name}`, headers });
    expect(page.status, name).toBeLessThan(500);
    expect(page.bytes.toString(), name).not.toContain(markup);
    expect(page.bytes.toString(), name).not.toContain('<b onload');
  }
});
