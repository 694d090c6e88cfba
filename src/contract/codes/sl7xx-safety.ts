// Codes SL7xx: what a pipeline file may read, write and use.
import type { Explanation } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';
const files = { 'photo.jpg': 'a photo' };

export const safetyCodes = {
  SL701: {
    title: 'An address contains a password or a key.',
    meaning:
      'A pipeline file is shared with others, and so is everything in it. Remove the credentials. A bucket takes them from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    wrong: ['pipeline: portraits', 'outputs: { store: "s3://key:secret@bucket" }', 'steps:', photo],
    right: ['pipeline: portraits', 'outputs: { store: "s3://bucket" }', 'steps:', photo],
  },
  SL702: {
    title: 'A path is outside the repository.',
    meaning:
      'A pipeline from somebody else could otherwise read or write any file of yours. If you trust the pipeline, use --allow-outside.',
    found: 'plan',
    wrong: { pipeline: ['pipeline: portraits', 'output: ../../portraits', 'steps:', photo], files },
    right: { pipeline: ['pipeline: portraits', 'output: portraits', 'steps:', photo], files },
  },
  SL703: {
    title: 'The output folder is one that git or shotlist uses.',
    meaning: 'Nothing is written into .git and .shotlist. Name another folder.',
    found: 'plan',
    wrong: { pipeline: ['pipeline: portraits', 'output: .git/out', 'steps:', photo], files },
    right: { pipeline: ['pipeline: portraits', 'output: out', 'steps:', photo], files },
  },
  SL704: {
    title: 'You have not agreed to the service that the file names.',
    meaning:
      'The file would send your API key to an address that somebody wrote into it. If you trust the address, run `shotlist trust`, or give it yourself with --service.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: portraits', 'service: https://media.example', 'steps:', photo],
      files,
      env: { SHOTLIST_API_KEY: 'key' },
    },
    right: { pipeline: ['pipeline: portraits', 'steps:', photo], files },
  },
  SL705: {
    title: 'You have not agreed to the bucket that the file names.',
    meaning:
      'The file would write to a bucket with your credentials. If you trust the bucket, run `shotlist trust`.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: portraits', 'outputs: { store: "s3://bucket" }', 'steps:', photo],
      files,
      env: { SHOTLIST_API_KEY: 'key', SHOTLIST_BASE_URL: 'http://127.0.0.1:9' },
    },
    right: {
      pipeline: ['pipeline: portraits', 'outputs: { store: kept }', 'steps:', photo],
      files,
    },
  },
  SL706: {
    title: 'The bucket cannot be used.',
    meaning:
      'A bucket needs `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and the region or the address of its service in the environment.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: portraits', 'outputs: { store: "s3://bucket" }', 'steps:', photo],
      files,
      env: { SHOTLIST_API_KEY: 'key', SHOTLIST_BASE_URL: 'http://127.0.0.1:9' },
    },
    right: {
      pipeline: ['pipeline: portraits', 'outputs: { store: kept }', 'steps:', photo],
      files,
    },
  },
  SL707: {
    title: 'A pipeline reads a variable of shotlist itself.',
    meaning:
      'The variables `SHOTLIST_*` hold the API key and other settings of yours, so no pipeline may read them. Give the value another name.',
    wrong: {
      pipeline: ['pipeline: portraits', 'env: [SHOTLIST_API_KEY]', 'steps:', photo],
      env: { SHOTLIST_API_KEY: 'key' },
    },
    right: {
      pipeline: ['pipeline: portraits', 'env: [CAMPAIGN]', 'steps:', photo],
      env: { CAMPAIGN: 'spring' },
    },
  },
} as const satisfies Readonly<Record<`SL7${string}`, Explanation>>;
