// `node_modules/.bin/node bench/specimens.ts`: every specimen of a picture file through the reader and through whole
// renderers, with what each stage costs. Exit code 1 when something was answered wrongly. `--heavy` adds those of 100
// megapixels, for the reader alone (minutes). `--tool NAME` (again and again) chooses the tools, `--only WORDS` the
// specimens; `--clip FILE` gives the video tools another clip.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderTool } from '../src/previews/registry.ts';
import { portraitClip } from '../test/previews/media.ts';
import {
  type Complaint,
  complaintOfReading,
  complaintOfRendering,
} from '../test/previews/pictures/specimen-reading.ts';
import { heavy } from '../test/previews/pictures/specimens/heavy.ts';
import type { Specimen } from '../test/previews/pictures/specimens/specimen.ts';
import { specimens } from '../test/previews/pictures/specimens.ts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const { values } = parseArgs({
  options: {
    heavy: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    clip: { type: 'string' },
    tool: {
      type: 'string',
      multiple: true,
      default: [
        'face-swap-photo',
        'image-background-remover',
        'head-swap',
        'ai-image-upscaler',
        'character-replace',
      ],
    },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'shotlist-specimens-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const ownClip = join(folder, 'clip.mp4');
writeFileSync(ownClip, await portraitClip());
const clip = values.clip ?? ownClip;

/** Processor seconds of each stage. */
const costs = new Map<string, number>();
let count = 0;
let wrong = 0;

async function stage(
  name: string,
  specimen: Specimen,
  work: () => Promise<Complaint>,
): Promise<void> {
  const began = process.cpuUsage();
  const complaint = await work();
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1e6;
  costs.set(name, (costs.get(name) ?? 0) + seconds);
  if (complaint !== undefined) wrong += 1;
  if (complaint !== undefined) print(`WRONG ${complaint}`);
  else if (seconds > 2) print(`slow  ${specimen.name}, ${name}: ${seconds.toFixed(1)} s`);
}

async function tryOut(specimen: Specimen, tools: readonly string[]): Promise<void> {
  if (!specimen.name.includes(values.only)) return;
  count += 1;
  const file = join(folder, specimen.name);
  writeFileSync(file, specimen.bytes);
  await stage('reading', specimen, () => complaintOfReading(specimen, file));
  for (const tool of tools) {
    const out = join(folder, 'out');
    const how = { tool, render: renderTool, clip };
    await stage(tool, specimen, () => complaintOfRendering(specimen, file, how, out));
  }
  rmSync(file);
}

for (const specimen of await specimens()) await tryOut(specimen, values.tool);
// Each tool would decode them again, up to three times.
if (values.heavy) for (const make of heavy) await tryOut(await make(), []);

for (const [name, seconds] of costs) print(`${name}: ${seconds.toFixed(1)} s of the processor`);
const peak = Math.round(process.resourceUsage().maxRSS / 1024);
print(`${count} specimens, ${wrong} wrong answers, ${peak} MB at the most`);
process.exitCode = wrong === 0 ? 0 : 1;
