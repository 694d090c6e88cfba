// `schedule --print`: the file that lets systemd, cron, Kubernetes or a CI service run a pipeline by its schedule. Sends
// nothing and writes nothing.
import { relative, resolve, sep } from 'node:path';
import { realPathOr } from '../base/real-path.ts';
import { repositoryOf } from '../base/repository.ts';
import { listing } from '../contract/yaml/diagnostic.ts';
import { type BoundPipeline, boundPipeline } from '../language/load/bound-pipeline.ts';
import type { GivenInputs } from '../language/load/inputs.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import { problem, Refusal, resultOf } from '../language/load/refusal.ts';
import { realClock } from '../run/clock.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { checkAddress } from '../service-api/address.ts';
import { consentTo } from '../service-api/consent.ts';
import { type PathOptions, pathsOf } from '../state/run-paths.ts';
import { isUnitKind, unitKinds, unitText } from './units/all.ts';

/** The flags of `shotlist schedule`, as the unit file repeats them. */
interface UnitFlags {
  readonly inputs?: GivenInputs | undefined;
  readonly profile?: string | undefined;
  readonly rehearse?: boolean | undefined;
  readonly hosted?: boolean | undefined;
  readonly budget?: number | undefined;
  readonly allowOutside?: boolean | undefined;
  readonly commit?: boolean | undefined;
  readonly commitOutputs?: string | undefined;
  readonly speed?: string | number | undefined;
  readonly pictures?: string | undefined;
}

export interface UnitFileOptions extends PathOptions, UnitFlags {
  /** `--service`. Default: `SHOTLIST_BASE_URL`, else the pipeline's own service if the user trusts it. */
  readonly service?: string | undefined;
  /** How shotlist is started on this machine. Default: this process's Node.js and script. */
  readonly program?: readonly string[];
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Pick<Clock, 'now'>;
}

/** The text of a unit file; `kind` is systemd, cron, github-actions, gitlab-ci or kubernetes. */
export function unitFile(
  loaded: LoadedPipeline,
  kind: string,
  options: UnitFileOptions = {},
): string {
  const bound = boundPipeline(loaded);
  const { pipeline, file, folder } = bound;
  const { env = process.env, clock = realClock } = options;
  if (!isUnitKind(kind))
    throw new Refusal(problem(`--print ${kind}: there is no such file; use ${listing(unitKinds)}`));
  const { schedule, source } = pipeline;
  if (schedule === undefined) {
    const span = source.keySpanOf(['pipeline']);
    const message = `the pipeline has no schedule, so there is no time at which ${kind} could run it`;
    const hint = 'add, for example, schedule: { cron: "0 7 * * *", time_zone: Europe/Berlin }';
    const diagnostic = { severity: 'error', code: 'SL515', file, span, message, hint } as const;
    throw new Refusal({ reason: 'input', diagnostics: [diagnostic], text: source.text });
  }
  const service = serviceFor(bound, options.service, env);
  const root = repositoryOf(folder);
  const within = (path: string): string => {
    const inside = relative(root, realPathOr(path)).split(sep).join('/');
    // Else the path could be taken for an option.
    return inside.startsWith('-') ? `./${inside}` : inside;
  };
  const rehearsal = options.rehearse === true;
  const target = rehearsal
    ? ({ kind: 'rehearsal' } as const)
    : ({ kind: 'hosted', address: service ?? '', key: '' } as const);
  const { state, output } = pathsOf(bound, target, options);
  const text = unitText(kind, {
    name: pipeline.name,
    description: pipeline.description,
    schedule,
    root,
    given: givenFlags(bound, options, within),
    rehearsal,
    file: within(file),
    state: within(state),
    output: within(output),
    store: pipeline.store,
    service,
    variables: pipeline.env,
    program: options.program ?? [process.execPath, ...process.argv.slice(1, 2)],
    now: clock.now(),
    hostOffset: (moment) => -new Date(moment).getTimezoneOffset(),
  });
  if (text.ok) return text.value;
  throw new Refusal(problem(`--print ${kind}: ${text.error}`, 'shotlist', 'give it another name'));
}

/** Paths are relative to the working folder here, and to the root where the unit file starts shotlist. */
function givenFlags(
  { pipeline }: BoundPipeline,
  options: UnitFileOptions,
  within: (path: string) => string,
): readonly string[] {
  const { inputs = {}, profile, state, output, budget, commitOutputs, speed, pictures } = options;
  const path = (given: string | undefined): string | undefined =>
    given === undefined ? undefined : within(resolve(given));
  const values = Object.entries(inputs).map(([name, value]) =>
    pipeline.inputs[name]?.type === 'file' ? [name, path(String(value))] : [name, value],
  );
  return [
    ...values.flatMap(([name, value]) => ['--input', `${name}=${value}`]),
    ...flag('--profile', profile),
    ...flag('--state', path(state)),
    ...flag('--output', path(output)),
    ...flag('--allow-outside', options.allowOutside),
    ...flag('--rehearse', options.rehearse),
    ...flag('--hosted', options.hosted),
    ...flag('--commit', options.commit),
    ...flag('--commit-outputs', commitOutputs),
    ...flag('--budget', budget),
    ...flag('--speed', speed),
    ...flag('--pictures', pictures),
  ];
}

const flag = (name: string, value: string | number | boolean | undefined): readonly string[] =>
  value === undefined || value === false ? [] : value === true ? [name] : [name, String(value)];

/** An address that only the pipeline file names is written down for a machine only if the user trusts the file. */
function serviceFor(
  bound: BoundPipeline,
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const own = given ?? (env['SHOTLIST_BASE_URL'] || undefined);
  if (own !== undefined) return checkAddress(own);
  const { service } = bound.pipeline;
  const checked = service === undefined ? undefined : resultOf(() => checkAddress(service));
  if (checked?.ok !== true) return undefined;
  return consentTo(bound, checked.value, env) === 'trusted' ? checked.value : undefined;
}
