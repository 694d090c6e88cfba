// From a queued project to its files: what the studio does with it, and how its end is recorded.

import type { ProjectError, RecordKind } from '../../contract/api/project.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Tool } from '../../contract/kinds/kind.ts';
import { toolNamed } from '../../contract/kinds/tools.ts';
import {
  isRendererClosed,
  type Renderer,
  type RenderInput,
  type RenderOutcome,
} from '../../previews/open.ts';
import { settledCredits, surcharged } from '../base/charge.ts';
import type { Clock } from '../base/clock.ts';
import { reportTrouble } from '../base/own-trouble.ts';
import type { FaultRule } from '../endpoints/fault-schema.ts';
import { type Faults, firedOf } from '../faults/faults.ts';
import type { Accounts } from '../store/accounts.ts';
import type { Detections } from '../store/detections.ts';
import type { Input } from '../store/inputs.ts';
import { isLive, type StoredProject } from '../store/project-row.ts';
import type { Projects } from '../store/projects.ts';
import type { Storage } from '../store/storage.ts';
import { outputLimit } from './output-limit.ts';
import { effortOf, type Pace, paceOf, type Speed } from './pace.ts';
import type { Job } from './studio.ts';

export interface Production {
  /** The job that renders a project; what is left of its time, when it was begun before. */
  jobOf(project: StoredProject): Job;
  /** What a renderer is to know about inputs; an error when one can no longer be had. */
  inputsFor(inputs: readonly Input[]): Result<readonly RenderInput[], ProjectError>;
}

export interface ProductionParts {
  readonly projects: Projects;
  readonly detections: Detections;
  readonly storage: Storage;
  readonly accounts: Accounts;
  readonly faults: Faults;
  readonly renderer: Renderer;
  readonly clock: Clock;
  readonly speed: Speed;
  readonly seed: number;
}

export function openProduction(parts: ProductionParts): Production {
  const { projects, detections, storage, accounts, faults, renderer, clock, speed, seed } = parts;

  const inputsFor: Production['inputsFor'] = (inputs) => {
    const found: RenderInput[] = [];
    for (const { field, media, reference, place, key } of inputs) {
      if (place === 'lost')
        return err({
          code: 'invalid_file_format',
          message: `The file of ${field} (${reference}) cannot be fetched: its address no longer works`,
        });
      const stored = place === 'stored';
      found.push({
        field,
        media,
        reference,
        file: stored ? storage.fileOf(key) : undefined,
        face: stored ? detections.face(key)?.region : undefined,
        faces: stored ? detections.regionsIn(key) : [],
      });
    }
    return ok(found);
  };

  async function outcomeOf(project: StoredProject): Promise<RenderOutcome> {
    const tool = knownTool(project.tool);
    const inputs = inputsFor(projects.inputsOf(project.id));
    if (!inputs.ok) return inputs;
    const folder = await storage.makeOutputFolder(project.id);
    const tier = accounts.find(project.account)?.tier ?? 'free';
    const limit = outputLimit(tool, tier);
    const { body } = project;
    const order = { tool, body, inputs: inputs.value, folder, seed, ...limit };
    const outcome = await renderer.render(order);
    if (outcome.ok)
      await storage.closeOutputs(
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
    await storage.removeOutputs(id);
    await projects.swept(id);
  }

  /** A clip that is not fetched has the frame rate of its stand-in, which is nobody's. */
  const knowsItsRate = ({ id }: StoredProject): boolean =>
    projects.inputsOf(id).some(({ media, place }) => media === 'video' && place === 'stored');

  /** `percent`: by how much the final charge is to be above what it would be. */
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
      ...project,
      fps: knowsItsRate(project) ? first?.fps : undefined,
    });
    const done = await projects.complete(
      id,
      {
        files: outcome.value.map(({ name }) => `${storage.outputKey(id)}/${name}`),
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
    jobOf: ({ id, seq, tool: name, body, createdAt, startedAt }) => {
      const tool = knownTool(name);
      const rule = faults.fire('job', name)[0]?.rule;
      const failure = rule?.fault === 'job-error' ? failureOf(rule) : undefined;
      // Drawn with the job's other faults, so that it does not depend on who is rendered first.
      const more = rule === undefined ? faults.fire('settlement', name) : [];
      const percent = firedOf(more, 'surcharge')?.rule.percent ?? 0;
      const pace = paceOf(speed, seed, seq, tool.medianSeconds * effortOf(tool, body));
      return {
        ...remaining(pace, clock.now(), createdAt, startedAt),
        id,
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
            if (isRendererClosed(reason)) return leaveAsItIs;
            // Deleted or canceled meanwhile: its folder was taken from under the renderer.
            if (isWanted(id)) throw reason;
            return () => discard(id);
          }
        },
        broke: async (reason) => {
          reportTrouble(`project ${id}`, reason);
          const message = 'The project could not be rendered.';
          await projects.fail(id, { code: 'unknown_error', message }, clock.now());
          await discard(id);
        },
      };
    },
  };
}

/** For a service that stops: what was begun is begun again when it starts. */
export async function leaveAsItIs(): Promise<void> {}

function knownTool(name: string): Tool {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`bug: project of the unknown tool ${name}`);
  return tool;
}

/** interface.md, Events: each kind of record has codes of its own for a file that cannot be used. */
function codeIn(record: RecordKind, code: string): string {
  if (code !== 'invalid_file_format' || record === 'image') return code;
  return record === 'video' ? 'invalid_parameters' : 'invalid_voice';
}

function failureOf({ code, message }: FaultRule<'job-error'>) {
  return err({ code, message: message ?? 'This project was to fail.' });
}

/** What is left of a job's time, so that a restart does not begin it anew. */
export function remaining(
  { waitMs, workMs }: Pace,
  now: number,
  createdAt: number,
  startedAt: number | undefined,
): Pace {
  if (startedAt !== undefined) return { waitMs: 0, workMs: startedAt + workMs - now };
  return { waitMs: createdAt + waitMs - now, workMs };
}
