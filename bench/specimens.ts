// Every specimen of a picture file through the reader and through whole renderers, with what each stage costs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { column, defineBench } from './frame/bench.ts';

const wrong = 'wrong answers';

export const specimenBench = defineBench({
  name: 'specimens',
  description:
    'Processor time of every specimen of a picture file, in the reader and in whole renderers.',
  full: {
    /** With those of 100 megapixels, for the reader alone: minutes. */
    heavy: false,
    /** Words in the names of the specimens. */
    only: '',
    /** Another clip for the video tools. */
    clip: '',
    tools: 'face-swap-photo,image-background-remover,head-swap,ai-image-upscaler,character-replace',
  },
  tiny: { only: 'exif', tools: 'ai-image-upscaler' },
  goals: [
    {
      what: wrong,
      bound: { atMost: 0 },
      figure: (rows) => column(rows, wrong).reduce((sum, count) => sum + count, 0),
      obstacle: 'A defect: standard error has the specimens.',
    },
  ],
  async *run({ heavy: withHeavy, only, clip: otherClip, tools }) {
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
    const stages = new Map<string, { count: number; seconds: number; wrong: number }>();

    const stage = async (
      name: string,
      specimen: Specimen,
      work: () => Promise<Complaint>,
    ): Promise<void> => {
      const began = process.cpuUsage();
      const complaint = await work();
      const { user, system } = process.cpuUsage(began);
      const seconds = (user + system) / 1e6;
      const before = stages.get(name) ?? { count: 0, seconds: 0, wrong: 0 };
      stages.set(name, {
        count: before.count + 1,
        seconds: before.seconds + seconds,
        wrong: before.wrong + (complaint === undefined ? 0 : 1),
      });
      if (complaint !== undefined) process.stderr.write(`  wrong: ${complaint}\n`);
      else if (seconds > 2)
        process.stderr.write(`  slow: ${specimen.name}, ${name}: ${seconds.toFixed(1)} s\n`);
    };

    try {
      const ownClip = join(folder, 'clip.mp4');
      writeFileSync(ownClip, await portraitClip());
      const clip = otherClip === '' ? ownClip : otherClip;
      const tryOut = async (specimen: Specimen, names: readonly string[]): Promise<void> => {
        if (!specimen.name.includes(only)) return;
        const file = join(folder, specimen.name);
        writeFileSync(file, specimen.bytes);
        await stage('reading', specimen, () => complaintOfReading(specimen, file));
        for (const tool of names) {
          const how = { tool, render: renderTool, clip };
          const out = join(folder, 'out');
          await stage(tool, specimen, () => complaintOfRendering(specimen, file, how, out));
        }
        rmSync(file);
      };
      for (const specimen of await specimens()) await tryOut(specimen, tools.split(','));
      // Each tool would decode them again, up to three times.
      if (withHeavy) for (const make of heavy) await tryOut(await make(), []);
      const peak = process.resourceUsage().maxRSS / 1024;
      for (const [name, { count, seconds, wrong: wrongly }] of stages)
        yield {
          ...{ stage: name, specimens: count, 'processor s': seconds },
          ...{ [wrong]: wrongly, 'peak MB': peak },
        };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
