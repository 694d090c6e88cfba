// Items from a table, and combinations of a matrix: the real command, from the file to the saved results.
import { describe, expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

const greetings = `pipeline: greetings
items: { csv: people.csv, key: email, when: item.country == "DE" }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.photo }}" } }
  cut: { uses: image-background-remover, with: { name: "\${{ item.name }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: cut, to: "\${{ item.zip }}.png" } }
`;

const people = `name,email,country,zip,photo
Ann,ann@x.de,DE,01234,faces/ann.png
Bob,bob@x.fr,FR,75001,faces/bob.png
"Müller, Eva",eva@x.de,DE,80331,faces/eva.png
`;

async function peopleRig(pipeline = greetings, table = people): Promise<Rig> {
  const rig = new Rig(pipeline);
  rig.write('people.csv', table);
  rig.write('faces/ann.png', await photo(1));
  rig.write('faces/eva.png', await photo(2));
  return rig;
}

describe('a table of people', () => {
  test('is an item for each row that when: keeps, and a second run is free', async () => {
    const local = await service();
    const rig = await peopleRig();
    const { summary, events } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', items: { total: 2, done: 2 } });
    expect(rig.files('out')).toEqual(['01234.png', '80331.png']);
    const tasks = events.flatMap((event) => (event.type === 'task' ? [event.task] : []));
    expect(tasks).toContain('cut:ann@x.de');
    expect(tasks).not.toContain('cut:bob@x.fr');
    expect((await rig.run(local)).summary).toMatchObject({ credits: { charged: 0 } });
    const some = await rig.run(local, { items: { only: 'eva*' } });
    expect(some.summary).toMatchObject({ items: { total: 1 } });
  });

  test('says which empty rows it leaves out', async () => {
    const rig = await peopleRig(greetings, `${people}\n,,,,\nTom,tom@x.fr,FR,1,-\n\n`);
    const warned = async (...args: string[]): Promise<string> =>
      (await rig.command([...args, 'pipeline.yaml', '--rehearse'])).stderr;
    const warning = 'warning: items.csv "people.csv": left out 2 empty rows: lines 5, 6';
    expect(await warned('plan')).toContain(warning);
    rig.write('people.csv', `${people}${',,,,\n'.repeat(1200)}`);
    expect(await warned('plan')).toContain('left out 1,200 empty rows: the first is line 5');
  });

  test('names the row and the column of a photo that is missing', async () => {
    const rig = await peopleRig(greetings, `${people}Tom,tom@x.de,DE,1,faces/tom.png\n`);
    const { code, stdout } = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(stdout).toContain(
      'CANNOT RUN (SL507): photo:tom@x.de: faces/tom.png does not exist (people.csv:5:19)',
    );
    expect(code).toBe(1);
    rig.write('pipeline.yaml', `max_failures: 0\n${greetings}`);
    const stopped = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(stopped.stderr).toContain(
      'people.csv:5:19: error SL507: photo:tom@x.de: faces/tom.png does not exist',
    );
    expect(stopped.stderr).toContain('> 5 | Tom,tom@x.de,DE,1,faces/tom.png');
    expect(stopped.stderr).toContain('step "photo" uses the value: pipeline.yaml:');
  });

  test('with a condition that is wrong for every row gives one error, with what to do', async () => {
    const rig = await peopleRig(greetings.replace('item.country == "DE"', 'item.country > 3'));
    const { stdout } = await rig.command(['validate', 'pipeline.yaml', '--json']);
    const { diagnostics } = JSON.parse(stdout);
    expect(diagnostics).toMatchObject([
      {
        code: 'SL305',
        message: expect.stringMatching(
          /^items\.when for \S+: ">" does not work between .*people\.csv:2:/,
        ),
        hint: expect.stringContaining('a column is text unless items.types says otherwise'),
      },
    ]);
    expect(diagnostics).toHaveLength(1);
  });

  test('is checked by validate: names of columns, and keys that are there twice', async () => {
    const rig = await peopleRig(greetings.replace('item.name', 'item.nmae'));
    const misspelt = await rig.command(['validate', 'pipeline.yaml']);
    expect(misspelt.stderr).toContain('people.csv has no column "nmae"');
    expect(misspelt.stderr).toContain('did you mean "name"?');
    expect(misspelt.stderr).toContain('pipeline.yaml:6:');
    rig.write('pipeline.yaml', greetings);
    rig.write('people.csv', `${people}Ann,ann@x.de,DE,2,faces/ann.png\n`);
    const twice = await rig.command(['validate', 'pipeline.yaml']);
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain(
      'people.csv:5:5: error SL502: two rows have the key "ann@x.de": the other one is people.csv:2:5',
    );
  });

  test('stays as it was planned when somebody edits it during the run', async () => {
    const local = await service();
    const rig = await peopleRig();
    const edited = people.replaceAll('faces/', 'nowhere/');
    const { summary } = await rig.run(local, { onEvent: () => rig.write('people.csv', edited) });
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
  });

  test('is not overwritten by a result', async () => {
    const rig = await peopleRig(
      greetings.replace('output: out', 'output: .').replace('${{ item.zip }}.png', 'people.csv'),
    );
    const local = await service();
    const args = ['plan', 'pipeline.yaml', '--limit', '1'];
    const { code, stderr } = await rig.command(args, envOf(local));
    expect(stderr).toContain('the table of items');
    expect(code).toBe(2);
  });

  test('that is misspelled has a suggestion', async () => {
    const rig = await peopleRig(greetings.replace('people.csv', 'poeple.csv'));
    const { stderr } = await rig.command(['validate', 'pipeline.yaml']);
    expect(stderr).toContain(
      'pipeline.yaml:2:15: error SL507: items.csv "poeple.csv" does not exist',
    );
    expect(stderr).toContain('did you mean "people.csv"?');
  });

  test('cannot be watched, and watch says so', async () => {
    const rig = await peopleRig();
    const { code, stderr } = await rig.command(['watch', 'pipeline.yaml', '--rehearse']);
    expect(stderr).toContain('this pipeline takes its items from a table');
    expect(code).toBe(2);
  });

  test('outside the repository is not read', async () => {
    const rig = await peopleRig();
    rig.write('repo/.git/HEAD', '');
    rig.write('repo/pipeline.yaml', greetings.replace('people.csv', '../people.csv'));
    const { stderr } = await rig.command(['plan', 'repo/pipeline.yaml', '--rehearse']);
    expect(stderr).toContain('repo/pipeline.yaml:2:15: error');
    expect(stderr).toContain('items.csv "../people.csv" is outside the repository');
  });
});

const catalogue = `pipeline: catalogue
items:
  glob: [products/**/*.png, "!products/old/**"]
  matrix:
    style: [oil, ink, neon]
    exclude: [{ style: neon, item.stem: shoe }]
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  edit:
    uses: ai-image-editor
    with:
      image_count: 1
      model: qwen-edit
      resolution: 640px
      style: { prompt: "in the style of \${{ matrix.style }}" }
      assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] }
  save: { uses: download, with: { of: edit, to: "\${{ item.stem }}-\${{ matrix.style }}.png" } }
`;

describe('a matrix times a folder', () => {
  test('makes each combination once, uploads each photo once, and a second run is free', async () => {
    const local = await service();
    const rig = new Rig(catalogue);
    rig.write('products/shoe.png', await photo(1));
    rig.write('products/new/hat.png', await photo(2));
    rig.write('products/old/boot.png', await photo(3));
    const { summary, events } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', items: { total: 5, done: 5 } });
    expect(rig.files('out')).toEqual([
      ...['hat-ink.png', 'hat-neon.png', 'hat-oil.png'],
      ...['shoe-ink.png', 'shoe-oil.png'],
    ]);
    const tasks = events.flatMap((event) => (event.type === 'task' ? [event.task] : []));
    expect(tasks).toContain('edit:new/hat.png/neon');
    expect(tasks).toContain('edit:shoe.png/oil');
    expect((await rig.run(local)).summary).toMatchObject({ credits: { charged: 0 } });
    const one = await rig.command(
      ['plan', 'pipeline.yaml', '--items', 'shoe.png/*', '--json'],
      envOf(local),
    );
    expect(JSON.parse(one.stdout).plan.items).toBe(2);
  });
});
