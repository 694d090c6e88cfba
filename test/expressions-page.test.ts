// docs/expressions.md shows the functions, the outputs and the formats that there are.
import { describe, expect, test } from 'vitest';
import { withTables } from '../schemas/function-tables.ts';
import { expressionFunctions } from '../src/language/functions/all.ts';
import { validate } from '../src/language/validate.ts';
import { planText } from '../src/views/plan-text.ts';
import { blocksIn, read } from './examples.ts';
import { World } from './kit/world.ts';

const page = read('docs/expressions.md');

describe('docs/expressions.md', () => {
  test('has the tables that the code makes (else: npm run schemas)', () => {
    expect(page).toBe(withTables(page));
  });

  test('names every function', () => {
    for (const { name, signatures } of expressionFunctions)
      for (const signature of signatures)
        expect(page, name).toContain(`\`${signature.replaceAll('|', '\\|')}\``);
  });

  test('shows what validate says of a wrong use', () => {
    const [shown = ''] = /pipeline\.yaml:[^\n]*\n[^\n]*/.exec(page) ?? [];
    const text = `pipeline: p
steps:
  img: { uses: ai-image-generator, keep: remote, with: { image_count: 2, style: { prompt: x } } }
  up:
    uses: ai-image-upscaler
    with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ steps.img.downloads.url }}" } }
  save: { uses: download, with: { of: up, to: a.png } }
`;
    const result = validate('pipeline.yaml', text);
    const [found] = result.ok ? [] : result.error;
    const { line = 0, column = 0 } = found?.span ?? {};
    expect(`pipeline.yaml:${line}:${column}: error: ${found?.message}\n  ${found?.hint}`).toBe(
      shown,
    );
  });

  test('shows the line of a plan about values that only the run knows', async () => {
    const [, example] = blocksIn('docs/expressions.md', 'yaml');
    const { plan } = await new World(example?.text ?? '').plan();
    const [shown = ''] = /known at run time: [^\n]*/.exec(page) ?? [];
    expect(shown).not.toBe('');
    expect(planText(plan)).toContain(shown);
  });
});
