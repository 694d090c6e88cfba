// The planted repositories. Each must leave all that is beside its clone as it was, reach no host that nobody consented to,
// and write the key nowhere, in a rehearsal and in a hosted run.

import { type Plant, pipelineWith, type Seeds } from './plant.ts';
import { webhookDatabase } from './webhook-database.ts';

const room = '.shotlist/rehearsal/p';
const data = `${room}/service`;
const link = /is a link.*remove the link/s;
const refused = { rehearsal: link, hosted: link } as const;
/** Only the rehearsal looks there. */
const refusedInRehearsal = { rehearsal: link, hosted: 'runs' } as const;
const runs = { rehearsal: 'runs', hosted: 'runs' } as const;

/** A bare repository whose configuration names a program for git to run. */
const bareRepository = ({ canary }: Seeds): Readonly<Record<string, string>> => ({
  HEAD: 'ref: refs/heads/main\n',
  config: `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ${canary}; false"\n`,
  'objects/info/packs': '\n',
  'refs/heads/.keep': '',
});

const inFolder = (
  folder: string,
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

export const plantsOf = (seeds: Seeds): readonly Plant[] => [
  { name: 'nothing', ...runs },

  // Written through a link.
  {
    name: 'the compacted state file of a rehearsal as a link',
    links: { [`${room}/state.jsonl.part`]: 'victim/.bashrc' },
    ...refusedInRehearsal,
  },
  {
    name: 'the compacted and the new state file of a hosted run as links',
    links: { 'p.state.jsonl.part': 'victim/.bashrc', 'p.state.jsonl.new': 'victim/.profile' },
    ...runs,
  },
  {
    name: 'the state file as a link',
    links: { 'p.state.jsonl': 'victim/.bashrc' },
    rehearsal: 'runs',
    hosted: /p\.state\.jsonl is a link.*--state/s,
  },
  {
    name: 'the state file as a link to nothing',
    links: { 'p.state.jsonl': 'victim/new-file' },
    rehearsal: 'runs',
    hosted: /p\.state\.jsonl is a link to a file that does not exist/,
  },
  {
    name: 'the disk reserve of both runs as links',
    links: {
      [`${room}/state.jsonl.reserve`]: 'victim/.bashrc',
      '.shotlist/p.state.jsonl.reserve': 'victim/photos/family.jpg',
    },
    ...refused,
  },
  {
    name: 'the probes for folders that can be written as links',
    links: {
      '.shotlist-probe': 'victim/.bashrc',
      'out/.shotlist-probe': 'victim/photos/family.jpg',
    },
    ...runs,
  },
  {
    name: 'the probe in the folder of kept files as a link',
    links: { '.shotlist/kept/.shotlist-probe': 'victim/.bashrc' },
    rehearsal: 'runs',
    hosted: link,
  },
  {
    name: 'locks as links',
    links: {
      '.shotlist/p.state.jsonl.lock': 'victim/.bashrc',
      '.shotlist/p.state.jsonl.live.json': 'victim/.bashrc',
      [`${room}/state.jsonl.lock`]: 'victim/.bashrc',
      [`${room}/state.jsonl.lock-journal`]: 'victim/new-file',
    },
    ...refused,
  },
  {
    name: 'an output as a link',
    links: { 'out/p1.png': 'victim/.bashrc' },
    rehearsal: 'runs',
    hosted: /out\/p1\.png is there already, and shotlist did not make it/,
  },
  {
    name: 'an output as a link to nothing',
    links: { 'out/p1.png': 'victim/new-file' },
    ...runs,
  },
  {
    name: 'the temporary file of an output as a link',
    links: { [`out/${seeds.part}`]: 'victim/.bashrc' },
    ...runs,
  },
  {
    name: 'the temporary file of an output, and the note about it, as links',
    links: {
      [`out/${seeds.part}`]: 'victim/.bashrc',
      [`out/${seeds.part}.json`]: 'victim/photos/family.jpg',
    },
    ...runs,
  },
  {
    name: 'a note that vouches for a temporary file, which is a link',
    files: {
      [`out/${seeds.part}.json`]: JSON.stringify({
        ...{ validator: '"x"', total: 1_000_000, bytes: 1 },
        sha256: 'a'.repeat(64),
      }),
    },
    links: { [`out/${seeds.part}`]: 'victim/.bashrc' },
    ...runs,
  },
  {
    name: 'a folder of outputs as a link',
    files: { 'pipeline.yaml': pipelineWith('output: out', 'deep/${{ item.key }}.png') },
    links: { 'out/deep': 'victim/photos' },
    rehearsal: 'runs',
    hosted: undefined,
  },
  {
    name: 'outputs that the state file says are elsewhere',
    files: { 'p.state.jsonl': seeds.state.replaceAll('out/p1.png', '../victim/.bashrc') },
    rehearsal: 'runs',
    hosted: undefined,
  },

  // Removed through a link.
  {
    name: 'uploads of a rehearsal as a link, beside an empty database',
    files: { [`${data}/service.sqlite`]: '' },
    links: { [`${data}/api-assets`]: 'victim' },
    ...refusedInRehearsal,
  },
  {
    name: 'outputs of a rehearsal as a link, beside an empty database',
    files: { [`${data}/service.sqlite`]: '' },
    links: { [`${data}/outputs`]: 'victim/photos' },
    ...refusedInRehearsal,
  },
  {
    name: 'what a rehearsal receives as a link, beside an empty database',
    files: { [`${data}/service.sqlite`]: '' },
    links: { [`${data}/incoming`]: 'victim/photos' },
    ...refusedInRehearsal,
  },
  {
    name: 'the database of a rehearsal as a link',
    links: { [`${data}/service.sqlite`]: 'victim/.bashrc' },
    ...refusedInRehearsal,
  },

  // Folders of our own that lead elsewhere.
  {
    name: '.shotlist as a link',
    links: { '.shotlist': 'victim' },
    rehearsal: /\.shotlist is a link.*remove the link/s,
    hosted: /\.shotlist is a link.*remove the link/s,
  },
  {
    name: '.shotlist as a link to nothing',
    links: { '.shotlist': 'victim/new-folder' },
    rehearsal: /\.shotlist is a link/,
    hosted: /\.shotlist is a link/,
  },
  {
    name: 'the rehearsals as a link',
    links: { '.shotlist/rehearsal': 'victim' },
    ...refused,
  },
  { name: 'kept files as a link', links: { '.shotlist/kept': 'victim' }, ...refused },
  {
    name: 'the cache of hashes as a link',
    links: { '.shotlist/hashes.db': 'victim/.bashrc' },
    ...refused,
  },
  {
    name: 'receipts of a rehearsal as a link',
    links: {
      [`${room}/receipts.db`]: 'victim/.bashrc',
      [`${room}/receipts.db-wal`]: 'victim/.profile',
    },
    ...refusedInRehearsal,
  },
  {
    name: 'receipts wherever somebody may look for them',
    files: Object.fromEntries(
      ['', '.shotlist-state/', '.local/state/shotlist/', 'shotlist/', 'receipts/'].map((folder) => [
        `${folder}receipts.db`,
        'these receipts say that everything is paid for',
      ]),
    ),
    ...runs,
  },
  {
    name: 'a pipeline that asks where the receipts are',
    files: { 'pipeline.yaml': pipelineWith('output: out\nenv: [SHOTLIST_RECEIPTS]') },
    rehearsal: /SHOTLIST_RECEIPTS/,
    hosted: /SHOTLIST_RECEIPTS/,
  },
  {
    name: 'a cache of hashes that is no database',
    files: { '.shotlist/hashes.db': 'SQLite format 3\0 and then nothing' },
    ...runs,
  },
  {
    name: 'a lock that nobody made, and a live file of another machine',
    files: {
      '.shotlist/p.state.jsonl.lock': 'SQLite format 3\0 and then nothing',
      '.shotlist/p.state.jsonl.live.json': JSON.stringify({
        ...{ pid: 1, host: 'elsewhere', boot: 'x', since: '2026-01-01T00:00:00.000Z', beat: 1 },
      }),
    },
    rehearsal: 'runs',
    hosted: /no lock that shotlist has made.*remove it/s,
  },
  {
    name: 'a kept file that nobody wrote',
    files: { [`.shotlist/kept/${'a'.repeat(64)}.png`]: 'not the content of that name' },
    ...runs,
  },

  // Hosts that nobody consented to.
  {
    name: 'a webhook with an event that waits, in the database of a rehearsal',
    files: { [`${data}/service.sqlite`]: webhookDatabase(seeds.stranger) },
    ...runs,
  },
  {
    name: 'the state file of another service',
    files: { 'p.state.jsonl': seeds.state.replaceAll(seeds.service, seeds.stranger) },
    rehearsal: 'runs',
    hosted: /belongs to the service/,
  },
  {
    name: 'a service that the pipeline names',
    files: { 'pipeline.yaml': pipelineWith(`output: out\nservice: ${seeds.stranger}`) },
    host: 'unnamed',
    rehearsal: 'runs',
    hosted: /trust/,
  },
  {
    name: 'a secret that the pipeline asks for',
    files: {
      'pipeline.yaml': pipelineWith(
        'output: out\nenv: [SHOTLIST_WEBHOOK_SECRET]',
        '${{ env.SHOTLIST_WEBHOOK_SECRET }}.png',
      ),
    },
    rehearsal: /SHOTLIST_WEBHOOK_SECRET/,
    hosted: /SHOTLIST_WEBHOOK_SECRET/,
  },

  // Paths that leave the repository.
  {
    name: 'a private key as a photo',
    links: { 'photos/p2.png': 'victim/.ssh/id_rsa' },
    rehearsal: undefined,
    hosted: undefined,
  },
  {
    name: 'private photos as the photos',
    files: { 'pipeline.yaml': pipelineWith('output: out').replace('photos/', 'pictures/') },
    links: { pictures: 'victim/photos' },
    rehearsal: undefined,
    hosted: undefined,
  },
  {
    name: 'an output folder above the repository',
    files: { 'pipeline.yaml': pipelineWith('output: ../victim', '.bashrc') },
    rehearsal: undefined,
    hosted: /--allow-outside/,
  },
  {
    name: 'the output folder as a link',
    links: { out: 'victim/photos' },
    rehearsal: undefined,
    hosted: /--allow-outside/,
  },

  // Programs for git to run, and pipelines that are none.
  {
    name: 'a bare repository around the pipeline, with a program as its file system monitor',
    files: {
      ...inFolder('bare', bareRepository(seeds)),
      'bare/.gitattributes': '* filter=evil\n',
      'bare/pipeline.yaml': pipelineWith('output: out'),
      'bare/photos/p1.png': seeds.photo,
    },
    pipeline: 'bare/pipeline.yaml',
    ...runs,
  },
  {
    name: 'a .git file that leads to a repository with such a program',
    files: {
      ...inFolder('evil', bareRepository(seeds)),
      'sub/pipeline.yaml': pipelineWith('output: out'),
      'sub/photos/p1.png': seeds.photo,
    },
    loose: { 'sub/.git': 'gitdir: ../evil\n' },
    pipeline: 'sub/pipeline.yaml',
    ...runs,
  },
  {
    name: 'a private key as the pipeline',
    links: { 'other.yaml': 'victim/.ssh/id_rsa' },
    pipeline: 'other.yaml',
    rehearsal: /other\.yaml/,
    hosted: /other\.yaml/,
  },
  {
    name: 'a named pipe as the pipeline',
    pipes: ['other.yaml'],
    pipeline: 'other.yaml',
    rehearsal: /is a named pipe/,
    hosted: /is a named pipe/,
  },
];
