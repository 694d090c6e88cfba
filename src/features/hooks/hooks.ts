// Calls on_finish: and on_doubt: when a run is over. A hook acts only if the user trusts the pipeline file, and never
// after a rehearsal. A hook that fails changes nothing about the run.

import { printable, printableJson } from '../../base/printable.ts';
import type { Redactor } from '../../base/redactor.ts';
import { scrubbed } from '../../base/scrub.ts';
import { shotlistLine } from '../../base/shell.ts';
import type { Env } from '../../base/user-folder.ts';
import type { Clock } from '../../core/ports.ts';
import type { HookField, RunEvent, Summary } from '../../core/run-event.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Problem } from '../../language/load/refusal.ts';
import type { Hook } from '../../language/pipeline.ts';
import { consentToHooks } from '../../service-api/consent.ts';
import { exitCodes } from '../../views/exit-codes.ts';
import { Deadline } from '../run/deadline.ts';
import { runProgram } from './program.ts';

interface HookContext {
  readonly bound: BoundPipeline;
  readonly rehearsal: boolean;
  readonly env: Env;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly onEvent: (event: RunEvent) => void;
  /** Aborted `leaveMs` after the run was asked to stop. */
  readonly leave: AbortSignal;
  /** When a scheduled run was due, ISO 8601. */
  readonly due?: string | undefined;
  /** The first pause before a webhook is called again, in milliseconds. */
  readonly backoffMs: number;
}

interface OwnHook {
  readonly field: HookField;
  readonly hook: Hook;
}

/** For a program. */
const programMs = 60_000;
/** For one attempt to reach a webhook. */
const webhookMs = 10_000;
/** After the run was asked to stop: then the whole command has 10 s, and at most two hooks. */
export const leaveMs = 8_000;
/** For a hook, even if the end of the run took all of that time. */
const leastMs = 1_000;
/** The log has more. */
const maxShownChars = 300;

/** The hooks that will be called. Warns about those that lack the user's consent. Call before the run begins. */
export function allowedHooks(context: HookContext): readonly OwnHook[] {
  const { bound, env, rehearsal, onEvent } = context;
  const { onFinish, onDoubt } = bound.pipeline;
  const hooks: readonly OwnHook[] = [
    ...(onFinish === undefined ? [] : [{ field: 'on_finish', hook: onFinish } as const]),
    ...(onDoubt === undefined ? [] : [{ field: 'on_doubt', hook: onDoubt } as const]),
  ];
  if (hooks.length === 0 || rehearsal) return hooks;
  const trust = consentToHooks(bound, env);
  if (trust === 'trusted') return hooks;
  const fields = hooks.map(({ field }) => field).join(' and ');
  const why =
    trust === 'changed'
      ? 'the file, or a file that its command names, has changed since you trusted it'
      : 'you have not agreed to what the file asks for';
  const [are, it] = hooks.length === 1 ? ['is', 'the hook'] : ['are', 'the hooks'];
  const message = `${fields} ${are} not called: ${why}. To see and allow ${it}, run ${shotlistLine('trust', [bound.file])}`;
  onEvent({ type: 'warning', message });
  return [];
}

export type HookReport =
  | { readonly type: 'ended'; readonly summary: Summary }
  | ({ readonly type: 'refused' } & Pick<Problem, 'reason' | 'diagnostics'>);

/** Calls the hooks that the report is for, one after the other. */
export async function callHooks(
  hooks: readonly OwnHook[],
  report: HookReport,
  context: HookContext,
): Promise<void> {
  for (const { field, hook } of hooks)
    if (concerns(field, report)) await callHook(field, hook, report, context);
}

function concerns(field: HookField, report: HookReport): boolean {
  // The run that holds the state file calls its own hooks.
  if (report.type === 'refused') return field === 'on_finish' && report.reason !== 'locked';
  const { outcome, tasks } = report.summary;
  return field === 'on_doubt' ? tasks.doubt > 0 : tasks.done > 0 || outcome !== 'done';
}

async function callHook(
  field: HookField,
  hook: Hook,
  report: HookReport,
  context: HookContext,
): Promise<void> {
  const { rehearsal, clock, redactor, onEvent } = context;
  const told = { type: 'hook', hook: field, calls: hookName(hook) } as const;
  if (rehearsal) return onEvent({ ...told, result: 'rehearsed' });
  const body = printableJson(JSON.stringify(redactor.value(bodyOf(field, report, context))));
  const began = clock.elapsed();
  const end = new Deadline(clock, leastMs);
  end.beginAfter(context.leave);
  const { failure, output } = await act(hook, body, context, end.passed);
  end.cancel();
  const elapsedMs = Math.round(clock.elapsed() - began);
  const said = scrubbed(redactor.text(output)).trimEnd();
  const spoken = { elapsedMs, ...(said === '' ? {} : { output: said }) };
  if (failure === undefined) return onEvent({ ...told, result: 'called', ...spoken });
  onEvent({ ...told, result: 'failed', why: failure, ...spoken });
  const last = said === '' ? '' : `: ${printable(said.slice(-maxShownChars))}`;
  const message = `${field}: ${hookName(hook)} ${failure}${last}. The run itself is not affected`;
  onEvent({ type: 'warning', message });
}

/** The JSON that a hook gets: the `ended` event of `run --json`, or why the run did not begin. */
function bodyOf(field: HookField, report: HookReport, { bound, rehearsal, due }: HookContext) {
  const about = {
    hook: field,
    pipeline: bound.name,
    rehearsal,
    due,
  };
  if (report.type === 'refused') return { ...about, ...report };
  const { type, summary } = report;
  return { ...about, type, summary: { ...summary, exitCode: exitCodes[summary.outcome] } };
}

async function act(
  hook: Hook,
  body: string,
  { bound, env, clock, redactor, backoffMs }: HookContext,
  signal: AbortSignal,
): Promise<{ readonly failure?: string; readonly output: string }> {
  if (hook.kind === 'command')
    return await runProgram({
      command: hook.command,
      folder: bound.folder,
      input: `${body}\n`,
      clock,
      signal,
      env: hookEnvironment(env, redactor),
      timeoutMs: programMs,
    });
  const { address } = hook;
  // Loaded for the first webhook, because the HTTP client takes 25 MB.
  const { postWebhook } = await import('./webhook.ts');
  const failure = await postWebhook({
    address,
    body,
    clock,
    timeoutMs: webhookMs,
    backoffMs,
    signal,
  });
  return { output: '', failure };
}

// How hooks are shown to people.

/**
 * The whole hook, for a person who decides about it: every argument as JSON, so that no argument looks like two, and no
 * character hides.
 */
export const hookText = (hook: Hook): string =>
  hook.kind === 'command'
    ? `run ${hook.command.map((part) => printable(JSON.stringify(part))).join(' ')}`
    : `send the summary to ${printable(hook.address)}`;

/**
 * The hook in one word, for messages and logs: the program without its arguments, or the host of an address, because
 * arguments and paths may hold tokens.
 */
const hookName = (hook: Hook): string =>
  printable(hook.kind === 'command' ? (hook.command[0] ?? '') : new URL(hook.address).host);

// The environment of a hook's program: that of shotlist, without its secrets.

/** The API key and the secrets of webhooks and workers, and the files that hold them. */
const ownSecrets = /^SHOTLIST_(?:API_KEY|WEBHOOK_SECRET|WORKER_SECRET)/i;
/** The bucket's credentials, and where they are kept. The region and the like stay. */
const bucketSecrets = /^AWS_.*(?:KEY|SECRET|TOKEN|CREDENTIAL)/i;

/** The passwords and keys of a database, the files that hold them, and addresses, which may hold one. */
const databaseSecrets = /^(?:PG(?:PASS|SSL|SERVICE)|POSTGRES_.*PASS|DATABASE_URL$)/i;
const databaseAddress = /^\s*postgres(?:ql)?:/i;

/** Variables with another name that hold a secret of shotlist are left out, too. */
function hookEnvironment(env: Env, redactor: Redactor): Env {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        value !== undefined &&
        !ownSecrets.test(name) &&
        !bucketSecrets.test(name) &&
        !databaseSecrets.test(name) &&
        !databaseAddress.test(value) &&
        redactor.text(value) === value,
    ),
  );
}
