// Every question of every command, on a real terminal, while a view may be drawn: the person sees it, and only a clear answer
// that is typed after it counts.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { keys, makesTerminals, OnTerminal } from '../on-terminal.ts';
import { envOf, type Rig, service, until } from '../rig.ts';
import { longTest, sampleOf } from '../sweep.ts';
import { doubted } from './doubted.ts';
import { speech, spendingRig } from './spending.ts';

const saved = `${speech}  save: { uses: download, with: { of: speech, to: "\${{ item.key }}.mp3" } }\n`;
const plain = '--pictures plain';

interface Asked {
  readonly rig: Rig;
  readonly local: LocalService;
  /** As in a shell. */
  readonly args: string;
  /** What stands on the screen while the question is open; lines of the screen are joined by spaces. */
  readonly shows: RegExp;
  /** What a yes leaves. */
  readonly agreed: (asked: Asked) => void;
  /** The exit code if the person does not agree. */
  readonly code: number;
  /** Everything that a yes would change. */
  readonly facts: (asked: Asked) => unknown;
}

const charges = (local: LocalService): number =>
  local.ledger().filter(({ kind }) => kind === 'charge').length;

/** 12 items of 10 credits are above the usual threshold. */
async function spending(steps = speech): Promise<Pick<Asked, 'rig' | 'local' | 'facts'>> {
  const [local, rig] = [await service(), spendingRig({ items: 12, steps })];
  return { local, rig, facts: () => charges(local) };
}

const questions: Readonly<Record<string, () => Promise<Asked>>> = {
  run: async () => ({
    ...(await spending()),
    args: `run pipeline.yaml ${plain}`,
    shows: /\(confirm_above\)\. Buy up to 120 credits \(\$0\.30\) for 12 items\? \[y\/N\]$/,
    agreed: ({ local }) => expect(charges(local)).toBe(12),
    code: 130,
  }),
  'run with files that are not its own': async () => {
    const { local, rig } = await spending(saved);
    rig.write('out/spending/1.mp3', Buffer.from('mine'));
    const facts = (): unknown => [charges(local), rig.read('out/spending/1.mp3')];
    return {
      ...{ local, rig, facts, code: 2 },
      args: `run pipeline.yaml ${plain} --confirm-above 1000`,
      shows: /1\.mp3 is there already, and shotlist did not make it\. Replace\? \[y\/N\]$/,
      agreed: () => expect(rig.read('out/spending/1.mp3')).not.toBe('mine'),
    };
  },
  reroll: async () => {
    const { local, rig, facts } = await spending();
    await rig.run(local);
    return {
      ...{ local, rig, facts, code: 130 },
      args: `reroll pipeline.yaml speech:1 speech:2 ${plain} --confirm-above 0`,
      shows: /Buy up to 20 credits \(\$0\.05\) for 2 items\? \[y\/N\]$/,
      agreed: () => expect(charges(local)).toBe(14),
    };
  },
  prune: async () => {
    const { local, rig } = await spending(saved);
    await rig.run(local);
    rig.write('pipeline.yaml', rig.read('pipeline.yaml').replace(/, w11o+\]/, ']'));
    const facts = (): unknown => [
      rig.files('out'),
      readFileSync(rig.path('spending.state.jsonl'), 'utf8'),
    ];
    const before = JSON.stringify(facts());
    return {
      ...{ local, rig, facts, code: 0 },
      args: 'prune pipeline.yaml',
      shows: /Remove them\? \[y\/N\]$/,
      agreed: () => expect(JSON.stringify(facts())).not.toBe(before),
    };
  },
};
const names = Object.keys(questions);

async function worldOf(name: string): Promise<Asked> {
  const make = questions[name];
  if (make === undefined) throw new Error(`no question ${name}`);
  return await make();
}

/** The question is on the screen. */
async function ask(asked: Asked, columns = 80): Promise<OnTerminal> {
  const terminal = new OnTerminal(asked.rig, asked.args, envOf(asked.local), { columns });
  return await terminal.says('[y/N]');
}

/** Several redraws of a view would have erased it. */
const framesLater = (): Promise<void> => wait(1100);

const screenOf = async (terminal: OnTerminal): Promise<string> =>
  (await terminal.screen()).replaceAll(/\s+/g, ' ').trimEnd();

// All questions are asked in one way: test/transcripts/questions.txt says no to each, and leaves one with Ctrl-C.
const oneRefusal = { Enter: keys.enter };
const oddRefusals = {
  'another word': `yess${keys.enter}`,
  'Ctrl-C behind a yes': `y${keys.ctrlC}`,
};
const refusals = { ...oneRefusal, ...oddRefusals, 'Ctrl-D': keys.ctrlD };

describe.skipIf(!makesTerminals)('on a terminal (needs script)', () => {
  longTest(
    'every question stays on a narrow screen and on a wide one, and a yes is heard',
    async () => {
      const sizes = [...names.map((name) => [name, 60] as const), ['run', 140]] as const;
      const open = await Promise.all(
        sizes.map(async ([name, columns]) => {
          const asked = await worldOf(name);
          return { where: `${name}, ${columns}`, asked, terminal: await ask(asked, columns) };
        }),
      );
      await framesLater();
      for (const { where, asked, terminal } of open) {
        const screen = await screenOf(terminal);
        expect(screen, where).toMatch(asked.shows);
        expect(screen, where).not.toMatch(/asking the service|planning/);
        terminal.type(`y${keys.enter}`);
      }
      for (const { where, asked, terminal } of open) {
        expect(await terminal.code, where).toBe(0);
        asked.agreed(asked);
      }
    },
  );

  const commands = [
    ['run', refusals],
    ['prune', oneRefusal],
  ] as const;
  test.each(sampleOf(commands, 2))(
    '%s: no answer but a yes changes anything, and a terminal that is closed ends the command',
    async (name, answers) => {
      const asked = await worldOf(name);
      const before = JSON.stringify(asked.facts(asked));
      for (const [word, typed] of Object.entries(answers)) {
        const terminal = await ask(asked);
        terminal.type(typed);
        expect(await terminal.code, word).toBe(asked.code);
        expect(JSON.stringify(asked.facts(asked)), word).toBe(before);
      }
      (await ask(asked)).close();
      const isLocked = (): boolean => asked.rig.files('.').some((file) => file.endsWith('.lock'));
      await until('the command is over', () => !isLocked());
      expect(JSON.stringify(asked.facts(asked)), 'closed').toBe(before);
    },
  );

  test('what was typed before the question does not answer it', async () => {
    const { local, rig } = await spending();
    const terminal = new OnTerminal(rig, `run pipeline.yaml ${plain}`, envOf(local));
    terminal.type(`y${keys.enter}y`);
    await terminal.says('[y/N]');
    await framesLater();
    terminal.type(keys.enter);
    expect(await terminal.code).toBe(130);
    expect(charges(local)).toBe(0);
  });

  longTest(
    'resolve --all asks about each doubt, leaves it in doubt without a clear answer, and records one at once',
    async () => {
      const { rig, local, env } = await doubted('after');
      const question = 'In the hub? [y/n/a, Enter: later]';
      const open = async (columns: number): Promise<OnTerminal> => {
        const terminal = new OnTerminal(rig, 'resolve pipeline.yaml --all', env, { columns });
        return await terminal.says(question);
      };
      const before = rig.read('photos.state.jsonl');
      for (const [word, typed] of Object.entries(oddRefusals)) {
        const terminal = await open(80);
        terminal.type(typed);
        // A word that is no answer is asked about once more.
        if (typed.startsWith('yess')) {
          await terminal.says(/In the hub\?[\s\S]*In the hub\?/);
          terminal.type(keys.ctrlD);
        }
        expect(await terminal.code, word).toBe(4);
        expect(rig.read('photos.state.jsonl'), word).toBe(before);
      }
      const id = local.ledger().find(({ kind }) => kind === 'charge')?.project ?? '';
      const terminal = await open(60);
      terminal.type(`y${keys.enter}`);
      await terminal.says('Its id:');
      terminal.type(`${id}${keys.enter}`);
      expect(await terminal.code).toBe(0);
      expect(rig.read('photos.state.jsonl')).toContain(id);
    },
  );
});
