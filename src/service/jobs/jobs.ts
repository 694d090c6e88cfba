// The jobs of the service: one renders a project, from queued to its output files and final charge; one finds the faces of
// a face detection.

import { isObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError, RecordKind } from '../../contract/api/project.ts';
import { allowances, type OutputLimit, type Tier } from '../../contract/api/tier.ts';
import type { Tool } from '../../contract/tool.ts';
import { existingTool } from '../../contract/tools/all.ts';
import { isRendererClosed, type RenderedFile, type RenderInput } from '../../previews/open.ts';
import { settledCredits, surcharged } from '../charge.ts';
import type { Dependencies } from '../dependencies.ts';
import { firedOf } from '../faults/faults.ts';
import type { Input } from '../inputs.ts';
import type { StoredDetection } from '../store/detections.ts';
import { isLive, type StoredProject } from '../store/projects.ts';
import { openScheduler, type ScheduledJob } from './scheduler.ts';
import { effortOf, remaining, timingOf } from './timing.ts';

export type Jobs = ReturnType<typeof openJobs>;

/** @param slots how many projects are rendered at the same time, and how many face detections */
export function openJobs(dependencies: Dependencies, slots: number) {
  const renderings = openScheduler(dependencies.clock, slots);
  // Separate, so that a free detection does not wait for long renderings.
  const detections = openScheduler(dependencies.clock, slots);
  return {
    /** If an earlier start of the service began the project, only the rest of its time is left. */
    render: (project: StoredProject): void => renderings.submit(renderJob(dependencies, project)),
    /** Frees the slot of a project that is canceled or deleted. */
    release: (project: string): void => renderings.release(project),
    search: (detection: StoredDetection): void =>
      detections.submit(detectionJob(dependencies, detection)),
    /** Begins no more jobs, and waits for the running ones. */
    async close(): Promise<void> {
      await Promise.all([renderings.close(), detections.close()]);
    },
  };
}

type Outcome = Result<readonly RenderedFile[], ProjectError>;

function renderJob(
  dependencies: Dependencies,
  { id, seq, account, body, ...project }: StoredProject,
): ScheduledJob {
  const { projects, accounts, faults, clock, speed, seed } = dependencies;
  const tool = existingTool(project.tool);
  const rule = faults.fire('job', tool.name)[0]?.rule;
  // Drawn here, with the job's other faults, so that the draw does not depend on the order of rendering.
  const more = rule === undefined ? faults.fire('settlement', tool.name) : [];
  const percent = firedOf(more, 'surcharge')?.rule.percent ?? 0;
  const timing = timingOf(speed, seed, seq, tool.medianSeconds * effortOf(tool, body));
  const isWanted = (): boolean => {
    const now = projects.find(id);
    return now !== undefined && isLive(now);
  };
  return {
    ...remaining(timing, project, clock.now()),
    id,
    owner: { account, most: allowances[accounts.find(account)?.tier ?? 'free'].generations },
    isWanted,
    hangs: rule?.fault === 'job-hang',
    begin: () => projects.start(id, clock.now()),
    work: async () => {
      const now = projects.find(id);
      if (now === undefined || !isLive(now)) return () => discard(dependencies, id);
      try {
        const outcome =
          rule?.fault === 'job-error'
            ? err({ code: rule.code, message: rule.message ?? 'A fault made this project fail.' })
            : await rendered(dependencies, now);
        return () => settle(dependencies, now, outcome, percent);
      } catch (reason) {
        if (isRendererClosed(reason)) return keepForRestart;
        // The project was deleted or canceled during rendering, and its folder with it.
        if (isWanted()) throw reason;
        return () => discard(dependencies, id);
      }
    },
    onFailure: async () => {
      const message = 'The project could not be rendered.';
      await projects.fail(id, { code: 'unknown_error', message }, clock.now());
      await discard(dependencies, id);
    },
  };
}

/** Settles nothing: the service is stopping, and its next start begins the job again. */
async function keepForRestart(): Promise<void> {}

async function rendered(dependencies: Dependencies, project: StoredProject): Promise<Outcome> {
  const { projects, accounts, fileStore, renderer, seed } = dependencies;
  const { id, body } = project;
  const tool = existingTool(project.tool);
  const inputs = renderInputs(dependencies, projects.inputsOf(id));
  if (!inputs.ok) return inputs;
  const folder = await fileStore.makeOutputFolder(id);
  const limit = outputLimit(tool, accounts.find(project.account)?.tier ?? 'free');
  const outcome = await renderer.render({
    tool,
    body,
    inputs: inputs.value,
    folder,
    seed,
    ...limit,
  });
  if (outcome.ok)
    await fileStore.closeOutputs(
      id,
      outcome.value.map(({ name }) => name),
    );
  return outcome;
}

/** The inputs in the renderer's terms; an error if the address of one no longer works. */
function renderInputs(
  { fileStore, detections }: Dependencies,
  inputs: readonly Input[],
): Result<readonly RenderInput[], ProjectError> {
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
}

/** `percent`: the surcharge on the final charge. */
async function settle(
  dependencies: Dependencies,
  { id, tool, record, body, credits, estimated }: StoredProject,
  outcome: Outcome,
  percent: number,
): Promise<void> {
  const { projects, fileStore, clock } = dependencies;
  if (!outcome.ok) {
    const { code, message } = outcome.error;
    await projects.fail(id, { code: codeIn(record, code), message }, clock.now());
    return discard(dependencies, id);
  }
  const [first] = outcome.value;
  // The frame rate of a clip that the service doesn't fetch is unknown: the stand-in has a frame rate of its own.
  const isRateKnown = projects
    .inputsOf(id)
    .some(({ media, place }) => media === 'video' && place === 'stored');
  const final = settledCredits(
    { credits, estimate: estimated },
    { tool: existingTool(tool), body, fps: isRateKnown ? first?.fps : undefined },
  );
  const completion = {
    files: outcome.value.map(({ name }) => `${fileStore.outputKey(id)}/${name}`),
    width: first?.width,
    height: first?.height,
    fps: first?.fps,
    credits: surcharged(final, percent),
  };
  if (!(await projects.complete(id, completion, clock.now()))) await discard(dependencies, id);
}

async function discard({ fileStore, projects }: Dependencies, id: string): Promise<void> {
  await fileStore.removeOutputs(id);
  await projects.swept(id);
}

/** Each kind of record has its own error code for an unusable file (interface.md, Events). */
function codeIn(record: RecordKind, code: string): string {
  if (code !== 'invalid_file_format' || record === 'image') return code;
  return record === 'video' ? 'invalid_parameters' : 'invalid_voice';
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

/** How long a face detection takes. Nothing is published; the fastest tools take about this long. */
const detectionSeconds = 3;

function detectionJob(dependencies: Dependencies, detection: StoredDetection): ScheduledJob {
  const { detections, clock, speed, seed } = dependencies;
  const { id, seq } = detection;
  return {
    ...remaining(timingOf(speed, seed, seq, detectionSeconds), detection, clock.now()),
    id,
    isWanted: () => true,
    begin: () => detections.start(id, clock.now()),
    work: async () => {
      try {
        const status = await search(dependencies, detection);
        return () => detections.finish(id, status);
      } catch (reason) {
        if (isRendererClosed(reason)) return keepForRestart;
        throw reason;
      }
    },
    onFailure: () => detections.finish(id, 'error'),
  };
}

/** Stores each face as an asset, whose path a face mapping can name (facts.md, Face detection). */
async function search(
  dependencies: Dependencies,
  { id, account, input, confidence }: StoredDetection,
): Promise<'complete' | 'error'> {
  const { database, detections, assets, fileStore, renderer, clock } = dependencies;
  const inputs = renderInputs(dependencies, [input]);
  const [image] = inputs.ok ? inputs.value : [];
  if (image === undefined) return 'error';
  const answer = await renderer.findFaces(image, confidence);
  if (!answer.ok) return 'error';
  for (const [index, { crop, region }] of answer.value.entries()) {
    const path = `api-assets/${id}/0-${index}.png`;
    await fileStore.save(path, crop);
    await database.write(() => {
      assets.add(path, account, crop.length, clock.now());
      detections.addFace(id, { path, image: input.key, region });
    });
  }
  return 'complete';
}
