// Ticks a pipeline every minute for hours or a week, by a clock that runs with the ticks, against the local service at 60
// times the speed: no project may be asked about more than once in a tick, and nothing may be paid twice.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chanceOf } from '../src/base/chance.ts';
import { startService } from '../src/service/start.ts';
import { clockwork } from '../test/service/clockwork.ts';
import { type Look, Ticking } from '../test/ticking.ts';

export interface TickOptions {
  readonly hours: number;
  readonly seed: number;
  readonly onEvent: (line: string) => void;
}

export interface TickResult {
  readonly ticks: number;
  readonly projects: number;
  readonly looks: number;
  /** All requests to the service. */
  readonly requests: number;
  readonly done: number;
  /** Sentences about broken promises. */
  readonly violations: readonly string[];
}

const speed = 60;
/** A minute at this speed, in milliseconds. */
const minute = 60_000 / speed;

const pipelineOf = (items: number): string => `pipeline: week
items: { values: [${Array.from({ length: items }, (_, n) => `scene${n}`).join(', ')}] }
output: out
steps:
  head: { uses: ai-image-generator, with: { image_count: 1, model: z-image-turbo, resolution: 640px, style: { prompt: "\${{ item.value }}" } } }
  clip:
    uses: image-to-video
    with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, assets: { image_file_path: "\${{ steps.head.url }}" } }
  save: { uses: download, with: { of: clip, to: "\${{ item.key }}.\${{ result.ext }}" } }
  tidy: { uses: delete, with: { of: clip } }
`;

export async function tortureTick({ hours, seed, onEvent }: TickOptions): Promise<TickResult> {
  const chance = chanceOf(seed, 0);
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-torture-'));
  const file = join(folder, 'week.yaml');
  const time = clockwork();
  const service = await startService({
    ...{ speed, seed, pictures: 'plain', credits: 1_000_000, ...time.options },
    // A few projects never end: they are looked at for the whole time.
    faults: { faults: [{ fault: 'job-hang', probability: 0.03 }] },
  });
  const world = new Ticking(service, time, speed);
  const outcomes = new Map<string, number>();
  let items = 2;
  let ticks = 0;
  try {
    for (; ticks < hours * 60; ticks++) {
      // New scenes come now and then, some of them together.
      if (ticks > 0 && chance() < 1 / 120) items += 1 + Math.floor(chance() * 6);
      writeFileSync(file, pipelineOf(items));
      const { outcome } = (await world.tick(file)).summary;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      time.pass(minute);
      if (ticks % 720 === 719)
        onEvent(`hour ${(ticks + 1) / 60}: ${items} scenes, ${world.looks.length} looks`);
    }
    const charges = service.ledger().filter(({ kind }) => kind === 'charge');
    return {
      ticks,
      projects: world.created.size,
      looks: world.looks.length,
      requests: world.requests,
      done: outcomes.get('done') ?? 0,
      violations: [...uselessLooks(world), ...paidTwice(charges), ...tooMany(world)],
    };
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Looks at what was never created, and more than one in a tick. */
function uselessLooks({ looks, created }: Ticking): readonly string[] {
  const last = new Map<string, Look>();
  const violations: string[] = [];
  for (const look of looks) {
    const made = created.get(look.project);
    const before = last.get(look.project);
    last.set(look.project, look);
    if (made === undefined) {
      violations.push(`${look.project} was looked at and never created`);
      continue;
    }
    // Read again for fresh addresses, when a later step needs them.
    if (before === undefined || before.status === 'complete') continue;
    if (look.at - before.at < minute / 2)
      violations.push(`${look.project} was looked at twice in ${look.at - before.at} ms`);
  }
  return violations;
}

function paidTwice(charges: readonly { readonly name: string | null }[]): readonly string[] {
  const names = new Set<string>();
  return charges.flatMap(({ name }) => {
    const plain = (name ?? '').replace(/ #[0-9a-z]+$/, '');
    if (names.has(plain)) return [`${plain} was paid twice`];
    names.add(plain);
    return [];
  });
}

/** The pro plan has five projects in progress at once. */
const tooMany = ({ mostAtOnce }: Ticking): readonly string[] =>
  mostAtOnce > 5 ? [`${mostAtOnce} projects were in progress at once`] : [];
