// Runs in memory, one after another over one state: a service, a disk and a clock that a test owns.

import { FileFacts } from '../../../src/core/file-facts.ts';
import { JournalWriter } from '../../../src/core/journal-writer.ts';
import type { MediaApi } from '../../../src/core/ports.ts';
import type { RunEvent } from '../../../src/core/run-event.ts';
import { valueItem } from '../../../src/model/item.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import { LookSchedule } from '../../../src/plan/look-schedule.ts';
import { pickedTakes } from '../../../src/plan/takes.ts';
import { localPerformer } from '../../../src/run/jobs/local-performer.ts';
import { LookBudget } from '../../../src/run/jobs/looks.ts';
import { Outages } from '../../../src/run/jobs/outages.ts';
import { ProjectIds } from '../../../src/run/jobs/project-ids.ts';
import { Walk, type WalkOptions } from '../../../src/run/walk.ts';
import { MemoryDisk } from '../../fakes/memory-disk.ts';
import { type Fate, MemoryService } from '../../fakes/memory-service.ts';
import { FakeClock } from '../../files/places.ts';
import { pipelineOf } from '../../tables/plan-world.ts';
import { ManualFile } from './parts.ts';

export const colour = (name: string, prompt: string): string =>
  `  ${name}: { uses: ai-image-editor, timeout: 1s, estimate: 50, with: { assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] }, style: { prompt: ${prompt} } } }\n`;

export const photo = '  photo: { uses: upload, with: { file: "${{ item.key }}.png" } }\n';

export const pipeline = (steps: string, more = ''): string =>
  `pipeline: p\n${more}items: { values: [{ key: a }, { key: b }] }\nsteps:\n${steps}`;

export class InMemory {
  readonly clock = new FakeClock();
  readonly disk = new MemoryDisk();
  readonly service = new MemoryService(this.disk, this.clock, () => 50);
  /** Takes the place of some calls of the service. */
  api: Partial<MediaApi> = {};
  readonly ledger = new Ledger();
  readonly file = new ManualFile();

  constructor() {
    for (const key of ['a', 'b']) this.disk.files.set(`${key}.png`, `photo ${key}`);
  }

  /** What became of each task, and what the run was charged. */
  async run(
    text: string,
    fate: Fate = 'fine',
    keys: readonly string[] = ['a'],
    change: Partial<WalkOptions> = {},
    act: (event: RunEvent, walk: Walk) => void = () => undefined,
  ) {
    const told: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => {
      told.push(event);
      act(event, walk);
    };
    const { clock, disk, service, ledger } = this;
    service.fate = () => fate;
    for (const made of service.projects.values())
      if (fate === 'fine' && made.fate === 'endless') made.fate = 'fine';
    const lines: string[] = [];
    const append = (line: string): void => void lines.push(line);
    const stopper = new AbortController();
    const patience = { clock, stop: stopper.signal, backoffMs: 1 };
    const outages = new Outages({
      ...patience,
      api: inPlace(service, this.api),
      address: 'memory:',
      limitMs: 1000,
      onEvent,
    });
    const context = {
      ...{
        ...patience,
        api: outages.api,
        outages,
        projects: new ProjectIds(() => ledger.projects()),
        disk,
        lookSchedule: new LookSchedule({ speedFactor: 1 }),
        looks: new LookBudget(clock, 1),
      },
      pace: async () => undefined,
    };
    const journal = new JournalWriter(ledger, { append, async sync() {} }, clock, { run: {} });
    const before = service.charged;
    const walk: Walk = new Walk({
      ...{ pipeline: pipelineOf(text), base: { inputs: {}, env: {}, run: {} }, journal, clock },
      ...{
        fileFacts: new FileFacts(disk),
        payAgain: false,
        requireOutputs: false,
        takes: pickedTakes(ledger),
        allows: () => true,
      },
      ...{ unrunnable: new Map(), failed: new Map(), total: keys.length, onEvent },
      ...{ begunJobs: undefined, partial: false, budget: undefined },
      items: keys.map((key, index) => valueItem({ key }, index)),
      performer: localPerformer({ context, stopper, limits: {} }),
      ...change,
    });
    await walk.run();
    journal.end();
    const endings = told.flatMap((event) =>
      event.type === 'task' ? [`${event.task} ${event.ending}`] : [],
    );
    return { walk, told, endings, lines, charged: service.charged - before };
  }
}

/** The service with some calls replaced. */
function inPlace(service: MediaApi, change: Partial<MediaApi>): MediaApi {
  return {
    uploadAddresses: (items) => service.uploadAddresses(items),
    put: (target, file) => service.put(target, file),
    detectFaces: (body) => service.detectFaces(body),
    faceDetection: (id) => service.faceDetection(id),
    account: () => service.account(),
    create: (tool, body, known) => service.create(tool, body, known),
    project: (record, id) => service.project(record, id),
    deleteProject: (record, id) => service.deleteProject(record, id),
    download: (url, into) => service.download(url, into),
    ...change,
  };
}
