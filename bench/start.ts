// How long short commands of the built package take as whole processes, in turn with `node -e 0`, so that another load
// of the machine slows both: `npm run build`, then `npm run bench -- start`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Milliseconds: the least of all rounds, which is closest to a quiet machine. */
interface Started {
  readonly what: string;
  readonly wall: number;
  readonly processor: number;
  /** Processor time, by that of `node -e 0`. */
  readonly ratio: number;
}

const edits = Array.from(
  { length: 24 },
  (_, index) => `  edit${index}:
    uses: ai-image-editor
    if: item.stem != "skip${index}"
    with:
      model: nano-banana-pro
      style: { prompt: "variant ${index} of \${{ slug(item.stem) }}" }
      assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] }
  save${index}: { uses: download, with: { of: edit${index}, to: "\${{ item.stem }}-${index}.png" } }
`,
);

const fiftySteps = `pipeline: fifty
items: { glob: photos/*.jpg }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
${edits.join('')}`;

const table = `pipeline: greetings
items: { csv: people.csv, key: email, when: item.country == "DE" }
steps:
  voice: { uses: ai-voice-generator, with: { style: { voice_name: Morgan Freeman, prompt: "Hello, \${{ item.name }}!" } } }
  save: { uses: download, with: { of: voice, to: "\${{ slug(item.name) }}.mp3" } }
`;

const rows = Array.from({ length: 1000 }, (_, row) => `p${row}@example.com,Person ${row},DE`);

const command = fileURLToPath(new URL('../bin/shotlist.cjs', import.meta.url));
const starts: readonly (readonly [string, readonly string[]])[] = [
  ['node -e 0', ['-e', '0']],
  ['--help', [command, '--help']],
  ['validate, 50 steps', [command, 'validate', 'fifty.yaml']],
  ['validate, 1,000 rows of a CSV', [command, 'validate', 'table.yaml']],
];

export function measureStarts(rounds: number): readonly Started[] {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
  try {
    writeFileSync(join(folder, 'fifty.yaml'), fiftySteps);
    writeFileSync(join(folder, 'table.yaml'), table);
    writeFileSync(join(folder, 'people.csv'), `email,name,country\n${rows.join('\n')}\n`);
    const report = join(folder, 'report.cjs');
    writeFileSync(report, reporter);
    const least = starts.map(() => ({
      wall: Number.POSITIVE_INFINITY,
      processor: Number.POSITIVE_INFINITY,
    }));
    // The first round fills the cache of compiled code, and does not count.
    for (let round = 0; round <= rounds; round++)
      for (const [index, [, args]] of starts.entries()) {
        const { wall, processor } = once(folder, report, args);
        const known = least[index];
        if (round === 0 || known === undefined) continue;
        known.wall = Math.min(known.wall, wall);
        known.processor = Math.min(known.processor, processor);
      }
    const bare = least[0]?.processor ?? Number.NaN;
    return starts.map(([what], index) => {
      const { wall, processor } = least[index] ?? { wall: Number.NaN, processor: Number.NaN };
      return { what, wall, processor, ratio: processor / bare };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process tells its own processor time when it ends. */
const reporter = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeFileSync(__filename + '.ms', String((user + system) / 1000));
});`;

function once(
  cwd: string,
  report: string,
  args: readonly string[],
): { readonly wall: number; readonly processor: number } {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['-r', report, ...args], { cwd });
  const wall = performance.now() - began;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return { wall, processor: Number(readFileSync(`${report}.ms`, 'utf8')) };
}
