// News of projects: what an event says reaches whoever waits for it, and is answered only once it is on disk.
import { expect, test } from 'vitest';
import type { Project } from '../../../../src/contract/api/project.ts';
import { WebhookInbox } from '../../../../src/run/jobs/webhook-inbox.ts';

const never = new AbortController().signal;
const over = AbortSignal.abort();
const record = (name: string | null, more: Partial<Project> = {}): Project => ({
  ...{ id: 'p1', status: 'complete', downloads: [], name },
  ...more,
});

function newInbox(): WebhookInbox {
  const made = new WebhookInbox({ patienceMs: 60_000, since: 1_000 });
  made.expect('a boat #1', 'video');
  return made;
}

test('an event reaches who waits for the attempt, and is answered when its outcome is on disk', async () => {
  const inbox = newInbox();
  const heard = inbox.waitFor('a boat #1', never);
  let answered: boolean | undefined;
  const telling = inbox.deliver('video', record('a boat #1'), never).then((taken) => {
    answered = taken;
  });
  expect(await heard).toMatchObject({ id: 'p1' });
  expect(answered).toBeUndefined();
  inbox.known('a boat #1');
  await telling;
  expect(answered).toBe(true);
});

test('an event that comes before anybody asks is kept for who does, and must come again', async () => {
  const inbox = newInbox();
  expect(await inbox.deliver('video', record('a boat #1'), never)).toBe(false);
  expect(await inbox.waitFor('a boat #1', never)).toMatchObject({ id: 'p1' });
  expect(await inbox.waitFor('a boat #1', over)).toMatchObject({ id: 'p1' });
  inbox.known('a boat #1');
  expect(await inbox.deliver('video', record('a boat #1'), never)).toBe(true);
});

test('of two events the first counts', async () => {
  const inbox = newInbox();
  await inbox.deliver('video', record('a boat #1', { id: 'first' }), never);
  await inbox.deliver('video', record('a boat #1', { id: 'second' }), never);
  expect(await inbox.waitFor('a boat #1', never)).toMatchObject({ id: 'first' });
});

test('an event that waits for the disk is let go when there is no more time', async () => {
  const inbox = newInbox();
  const heard = inbox.waitFor('a boat #1', never);
  expect(await inbox.deliver('video', record('a boat #1'), over)).toBe(false);
  await heard;
});

test.each([
  ['of a stranger', 'video', 'another'],
  ['of a project without a name', 'video', null],
  ['that nearly has the name', 'video', 'A boat #1'],
  ['with more than the name', 'video', 'a boat #12'],
  ['of another kind of record', 'image', 'a boat #1'],
] as const)('an event %s is answered at once, and resolves nothing', async (_, kind, name) => {
  const inbox = newInbox();
  expect(await inbox.deliver(kind, record(name), never)).toBe(true);
  expect(await inbox.waitFor('a boat #1', over)).toBeUndefined();
});

test('an attempt that nobody expects is not waited for', async () => {
  expect(await newInbox().waitFor('another', never)).toBeUndefined();
});

test('a bell rings when an event says that its project is over, and not before', async () => {
  const inbox = newInbox();
  const endSignal = inbox.endSignalOf('p1');
  await inbox.deliver('video', record('x', { status: 'rendering' }), never);
  await inbox.deliver('video', record('x', { id: 'p2' }), never);
  expect(endSignal.aborted).toBe(false);
  await inbox.deliver('video', record('x', { status: 'error' }), never);
  expect(endSignal.aborted).toBe(true);
  const next = inbox.endSignalOf('p1');
  expect(next.aborted).toBe(false);
  inbox.forgetEndSignal('p1');
  await inbox.deliver('video', record('x'), never);
  expect(next.aborted).toBe(false);
});

test('attempts of earlier runs are waited for from when it began to listen', () => {
  expect(newInbox()).toMatchObject({ patienceMs: 60_000, patientUntil: 61_000 });
});

test('what came of an attempt is at hand, the first record of it, until its outcome is known', async () => {
  const inbox = newInbox();
  expect(inbox.told('a boat #1')).toBeUndefined();
  expect(inbox.told('another')).toBeUndefined();
  await inbox.deliver('video', record('a boat #1', { id: 'first' }), never);
  await inbox.deliver('video', record('a boat #1', { id: 'second' }), never);
  expect(inbox.told('a boat #1')?.id).toBe('first');
  inbox.known('a boat #1');
  expect(inbox.told('a boat #1')).toBeUndefined();
  inbox.known('another');
});

test('an event must come again once those who waited for it have gone', async () => {
  const inbox = newInbox();
  const enough = new AbortController();
  const heard = inbox.waitFor('a boat #1', enough.signal);
  enough.abort();
  expect(await heard).toBeUndefined();
  expect(await inbox.deliver('video', record('a boat #1'), never)).toBe(false);
});

test('an event waits for the disk while one of two still listens', async () => {
  const inbox = newInbox();
  const enough = new AbortController();
  const gone = inbox.waitFor('a boat #1', enough.signal);
  const stays = inbox.waitFor('a boat #1', never);
  enough.abort();
  expect(await gone).toBeUndefined();
  const answer = inbox.deliver('video', record('a boat #1'), never);
  expect(await stays).toMatchObject({ id: 'p1' });
  inbox.known('a boat #1');
  expect(await answer).toBe(true);
});

test.each(['queued', 'rendering'] as const)(
  'a bell does not ring for a project that is %s',
  async (status) => {
    const inbox = newInbox();
    const bell = inbox.endSignalOf('p1');
    await inbox.deliver('video', record('x', { status }), never);
    expect(bell.aborted).toBe(false);
  },
);

test('an event that comes before the answer to the creation says at once that the project is over', async () => {
  const inbox = newInbox();
  await inbox.deliver('video', record('a boat #1', { status: 'rendering' }), over);
  expect(inbox.endSignalOf('p1', 'a boat #1').aborted).toBe(false);
  await inbox.deliver('video', record('a boat #1'), over);
  expect(inbox.endSignalOf('p1', 'a boat #1').aborted).toBe(true);
  expect(inbox.endSignalOf('p2', 'another attempt').aborted).toBe(false);
});

test('events are trusted until the end of a project is learned without one, and again from the next one on', async () => {
  const inbox = newInbox();
  expect(inbox.isTrusted).toBe(true);
  inbox.missed();
  await inbox.deliver('video', record(null, { status: 'rendering' }), never);
  expect(inbox.isTrusted).toBe(false);
  await inbox.deliver('video', record(null), never);
  expect(inbox.isTrusted).toBe(true);
});
