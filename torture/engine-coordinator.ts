// A coordinator process: what `shotlist run <file> --engine <address>` does, with the short pauses of a rehearsal, which
// it passes on to the workers.

import { runWith } from '../src/features/run/run.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import { renderProblem, resultOf } from '../src/language/load/refusal.ts';
import { exitCodes } from '../src/views/exit-codes.ts';

const [file = '', engine = ''] = process.argv.slice(2);
const controller = new AbortController();
process.on('SIGTERM', () => controller.abort());

const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const loaded = await loadPipeline(file);
const ran = await resultOf(() =>
  runWith(
    loaded,
    {
      ...{ engine, signal: controller.signal },
      onEvent: (event) => {
        if (event.type === 'warning') say(event);
      },
    },
    { backoffMs: 10, speedFactor: 100 },
  ),
);
if (ran.ok) say({ type: 'ended', ...ran.value.summary });
else say({ problem: ran.error.reason, text: renderProblem(ran.error) });
process.exitCode = ran.ok ? exitCodes[ran.value.summary.outcome] : 2;
