// The job that renders a project: from queued to its output files, with the final charge.

import { isObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError, RecordKind } from '../../contract/api/project.ts';
import { allowances, type OutputLimit, type Tier } from '../../contract/api/tier.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { existingTool } from '../../contract/tools/all.ts';
import {
  isRendererClosed,
  type Renderer,
  type RenderInput,
  type RenderOutcome,
} from '../../previews/open.ts';
import { settledCredits, surcharged } from '../base/charge.ts';
import type { ServiceClock } from '../base/clock.ts';
import { reportInternalError } from '../base/internal-error.ts';
import type { Speed } from '../base/speed.ts';
import { type Faults, firedOf } from '../faults/faults.ts';
import type { FaultRule } from '../faults/schema.ts';
import type { Accounts } from '../store/accounts.ts';
import type { Detections } from '../store/detections.ts';
import type { FileStore } from '../store/file-store.ts';
import type { Input } from '../store/inputs.ts';
import { isLive, type StoredProject } from '../store/project-row.ts';
import type { Projects } from '../store/projects.ts';
import type { ScheduledJob } from './scheduler.ts';
import { effortOf, type JobTiming, timingOf } from './timing.ts';

export interface RenderJobs {
  /** The job that renders a project. If an earlier start of the service began it, only the rest of its time is left. */
  jobOf(project: StoredProject): ScheduledJob;
  /** The inputs in the renderer's terms; an error if the address of one no longer works. */
  inputsFor(inputs: readonly Input[]): Result<readonly RenderInput[], ProjectError>;
}

export interface RenderJobDependencies {
  readonly projects: Projects;
  readonly detections: Detections;
  readonly fileStore: FileStore;
  readonly accounts: Accounts;
  readonly faults: Faults;
  readonly renderer: Renderer;
  readonly clock: ServiceClock;
  readonly speed: Speed;
  readonly seed: number;
}

export function openRenderJobs(dependencies: RenderJobDependencies): RenderJobs {
  const { projects, detections, fileStore, accounts, faults, renderer, clock, speed, seed } =
    dependencies;

  const inputsFor: RenderJobs['inputsFor'] = (inputs) => {
    const found: RenderInput[] = [];
    for (const { field, media, reference, place, key } of inputs) {
      if (place === 'lost')
        return err({
          code: 'invalid_file_format',
          message: `The file of ${field} (${reference}) can't be fetched: its address no longer works`,
        });
      const stored = place === 'stored';
      found.push({
        field,
        media,
        reference,
        file: stored ? fileStore.fileOf(key) : undefined,
        face: stored ? detections.face(key)?.region : undefined,
        faces: stored ? detections.regionsIn(key) : [],
      });
    }
    return ok(found);
  };

  async function outcomeOf(project: StoredProject): Promise<RenderOutcome> {
    const tool = existingTool(project.tool);
    const inputs = inputsFor(projects.inputsOf(project.id));
    if (!inputs.ok) return inputs;
    const folder = await fileStore.makeOutputFolder(project.id);
    const tier = accounts.find(project.account)?.tier ?? 'free';
    const limit = outputLimit(tool, tier);
    const { body } = project;
    const order = { tool, body, inputs: inputs.value, folder, seed, ...limit };
    const outcome = await renderer.render(order);
    if (outcome.ok)
      await fileStore.closeOutputs(
        project.id,
        outcome.value.map(({ name }) => name),
      );
    return outcome;
  }

  const isWanted = (id: string): boolean => {
    const project = projects.find(id);
    return project !== undefined && isLive(project);
  };

  async function discard(id: string): Promise<void> {
    await fileStore.removeOutputs(id);
    await projects.swept(id);
  }

  /** The frame rate of a clip that the service doesn't fetch is unknown: the stand-in has a frame rate of its own. */
  const knowsItsRate = ({ id }: StoredProject): boolean =>
    projects.inputsOf(id).some(({ media, place }) => media === 'video' && place === 'stored');

  /** `percent`: the surcharge on the final charge. */
  async function settle(
    project: StoredProject,
    outcome: RenderOutcome,
    percent: number,
  ): Promise<void> {
    const { id, record, credits, estimated } = project;
    if (!outcome.ok) {
      const { code, message } = outcome.error;
      await projects.fail(id, { code: codeIn(record, code), message }, clock.now());
      return discard(id);
    }
    const [first] = outcome.value;
    const charged = { credits, estimate: estimated };
    const final = settledCredits(charged, {
      tool: existingTool(project.tool),
      body: project.body,
      fps: knowsItsRate(project) ? first?.fps : undefined,
    });
    const done = await projects.complete(
      id,
      {
        files: outcome.value.map(({ name }) => `${fileStore.outputKey(id)}/${name}`),
        width: first?.width,
        height: first?.height,
        fps: first?.fps,
        credits: surcharged(final, percent),
      },
      clock.now(),
    );
    if (!done) await discard(id);
  }

  return {
    inputsFor,
    jobOf: ({ id, seq, account, tool: name, body, createdAt, startedAt }) => {
      const tool = existingTool(name);
      const rule = faults.fire('job', name)[0]?.rule;
      const failure = rule?.fault === 'job-error' ? failureOf(rule) : undefined;
      // Drawn here, with the job's other faults, so that the draw does not depend on the order of rendering.
      const more = rule === undefined ? faults.fire('settlement', name) : [];
      const percent = firedOf(more, 'surcharge')?.rule.percent ?? 0;
      const timing = timingOf(speed, seed, seq, tool.medianSeconds * effortOf(tool, body));
      return {
        ...remaining(timing, clock.now(), createdAt, startedAt),
        id,
        owner: { account, most: allowances[accounts.find(account)?.tier ?? 'free'].generations },
        isWanted: () => isWanted(id),
        hangs: rule?.fault === 'job-hang',
        begin: () => projects.start(id, clock.now()),
        work: async () => {
          const project = projects.find(id);
          if (project === undefined || !isWanted(id)) return () => discard(id);
          try {
            const outcome = failure ?? (await outcomeOf(project));
            return () => settle(project, outcome, percent);
          } catch (reason) {
            if (isRendererClosed(reason)) return keepForRestart;
            // The project was deleted or canceled during rendering, and its folder with it.
            if (isWanted(id)) throw reason;
            return () => discard(id);
          }
        },
        onFailure: async (reason) => {
          reportInternalError(`project ${id}`, reason);
          const message = 'The project could not be rendered.';
          await projects.fail(id, { code: 'unknown_error', message }, clock.now());
          await discard(id);
        },
      };
    },
  };
}

/** Settles nothing: the service is stopping, and its next start begins the job again. */
export async function keepForRestart(): Promise<void> {}

/** Each kind of record has its own error code for an unusable file (interface.md, Events). */
function codeIn(record: RecordKind, code: string): string {
  if (code !== 'invalid_file_format' || record === 'image') return code;
  return record === 'video' ? 'invalid_parameters' : 'invalid_voice';
}

function failureOf({ code, message }: FaultRule<'job-error'>) {
  return err({ code, message: message ?? 'A fault made this project fail.' });
}

/** The rest of a job's time: a restart does not make the job take longer. */
export function remaining(
  { waitMs, workMs }: JobTiming,
  now: number,
  createdAt: number,
  startedAt: number | undefined,
): JobTiming {
  if (startedAt !== undefined) return { waitMs: 0, workMs: startedAt + workMs - now };
  return { waitMs: createdAt + waitMs - now, workMs };
}

// How large an output may be, by plan and tool (models.md, Plans).

/** The resolution of a free plan (interface.md, POST /v1/character-replace), and that of 4k. */
const named = { free: 576, paid: 2160 } as const;

export function outputLimit({ request, sizeLimit = {} }: Tool, tier: Tier): OutputLimit {
  const { properties } = request;
  const isNamed = isObject(properties) && properties['resolution'] !== undefined;
  if (isNamed || sizeLimit === 'none')
    return { most: tier === 'free' ? named.free : named.paid, longest: Number.POSITIVE_INFINITY };
  const { longestEdge } = allowances[tier];
  const { most = longestEdge, longest = longestEdge } = sizeLimit;
  return { most: Math.min(most, longestEdge), longest: Math.min(longest, longestEdge) };
}
