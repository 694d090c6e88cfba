// A folder of four photos after a run: one in doubt, with a name that no page may read as HTML, one failed, two done. And
// the data in a report.
import type { ReportData } from '../src/report/page/report-data.ts';
import type { LocalService } from '../src/service/start.ts';
import { photo, photoPipeline, photoRig, type Rig, service } from './rig.ts';

/** One at a time, so that it is known which photo meets which fault. */
const oneByOne = photoPipeline.replace(
  'output: out',
  'description: "</script><b>Everyone</b> as one actor"\noutput: out\nlimits: { items: 1 }',
);

export const hostile = `<img src=x onerror="console.error(1)">.png`;

export async function mixedRun(): Promise<{ readonly rig: Rig; readonly local: LocalService }> {
  const lost = { fault: 'reset', on: 'POST /v1/face-swap-photo', when: 'after', count: 1 } as const;
  const failing = { fault: 'job-error', on: 'face-swap-photo', skip: 1, count: 1 } as const;
  const refused = { ...failing, code: 'no_source_face', message: 'No face in /srv/media/p1.png.' };
  const local = await service({ faults: { faults: [lost, refused] } });
  const rig = await photoRig(3, oneByOne);
  rig.write(`photos/${hostile}`, await photo(7));
  await rig.run(local);
  return { rig, local };
}

/** The data in a report, as the page reads it. */
export function dataIn(html: string): ReportData {
  const json = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(html)?.[1];
  const data: ReportData = JSON.parse(json ?? '');
  return data;
}
