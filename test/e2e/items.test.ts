// Items from a table, while it changes. What a table may hold, and what is said of it: test/transcripts/items.txt.
import { expect, test } from 'vitest';
import { photo, Rig, service } from '../rig.ts';

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

async function peopleRig(): Promise<Rig> {
  const rig = new Rig(greetings);
  rig.write('people.csv', people);
  rig.write('faces/ann.png', await photo(1));
  rig.write('faces/eva.png', await photo(2));
  return rig;
}

test('a table of people stays as it was planned when somebody edits it during the run', async () => {
  const local = await service();
  const rig = await peopleRig();
  const edited = people.replaceAll('faces/', 'nowhere/');
  const { summary } = await rig.run(local, { onEvent: () => rig.write('people.csv', edited) });
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
});
