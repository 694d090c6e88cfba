// `schedule --print`: the file that lets systemd, cron, Kubernetes or a CI service run a pipeline by its schedule. Sends
// nothing and writes nothing.
import { relative, sep } from 'node:path';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { listing } from '../../contract/yaml/diagnostic.ts';
import { realClock } from '../adapters/clock.ts';
import { realPathOr } from '../adapters/files/real-path.ts';
import { repositoryOf } from '../adapters/files/repository.ts';
import { isUnitKind, unitKinds, unitText } from '../report/units/all.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { type PathOptions, pathsOf } from './files/run-paths.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { checkAddress } from './service/address.ts';
import { consentTo } from './service/consent.ts';

export interface UnitFileOptions extends PathOptions {
  /** `--service`. Default: `SHOTLIST_BASE_URL`, else the pipeline's own service if the user trusts it. */
  readonly service?: string | undefined;
  /** How shotlist is started on this machine. Default: this process's Node.js and script. */
  readonly program?: readonly string[];
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Pick<Clock, 'now'>;
  /** `--profile` of the runs. */
  readonly profile?: string | undefined;
}

/** The text of a unit file; `kind` is systemd, cron, github-actions, gitlab-ci or kubernetes. */
export function unitFile(
  loaded: LoadedPipeline,
  kind: string,
  options: UnitFileOptions = {},
): Result<string, Problem> {
  const bound = boundPipeline(loaded);
  const { pipeline, file, folder } = bound;
  const { env = process.env, clock = realClock } = options;
  if (!isUnitKind(kind))
    return err(problem(`--print ${kind}: there is no such file; use ${listing(unitKinds)}`));
  const { schedule, source } = pipeline;
  if (schedule === undefined) {
    const span = source.keySpanOf(['pipeline']);
    const message = `the pipeline has no schedule, so there is no time at which ${kind} could run it`;
    const hint = 'add, for example, schedule: { cron: "0 7 * * *", time_zone: Europe/Berlin }';
    const diagnostic = { severity: 'error', code: 'SL515', file, span, message, hint } as const;
    return err({ reason: 'input', diagnostics: [diagnostic], text: source.text });
  }
  const service = serviceFor(bound, options.service, env);
  if (!service.ok) return service;
  const root = repositoryOf(folder);
  const within = (path: string): string => relative(root, realPathOr(path)).split(sep).join('/');
  const target = { kind: 'hosted', address: service.value ?? '', key: '' } as const;
  const { state, output } = pathsOf(bound, target, options);
  return ok(
    unitText(kind, {
      ...{ name: pipeline.name, description: pipeline.description, schedule, root },
      ...{
        profile: options.profile,
        file: within(file),
        state: within(state),
        output: within(output),
      },
      ...{ store: pipeline.store, service: service.value, variables: pipeline.env },
      program: options.program ?? [process.execPath, ...process.argv.slice(1, 2)],
      now: clock.now(),
      hostOffset: -new Date(clock.now()).getTimezoneOffset(),
    }),
  );
}

/** An address that only the pipeline file names is written down for a machine only if the user trusts the file. */
function serviceFor(
  bound: ReturnType<typeof boundPipeline>,
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Result<string | undefined, Problem> {
  const own = given ?? (env['SHOTLIST_BASE_URL'] || undefined);
  if (own !== undefined) return checkAddress(own);
  const { service } = bound.pipeline;
  const checked = service === undefined ? undefined : checkAddress(service);
  if (checked === undefined || !checked.ok) return ok(undefined);
  const trusted = consentTo(bound, checked.value, env) === 'trusted';
  return ok(trusted ? checked.value : undefined);
}
