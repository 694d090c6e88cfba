// Bundles src/ into dist/: a command reads a few files when it starts, instead of 350. `tsc` writes the types.
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin, RolldownOptions } from 'rolldown';
import { noticesOf } from './src/report/bundle.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Bundled as well, because `validate` and `plan` need them. All others stay packages. */
const bundled = [
  ...['commander', 'yaml', '@marcbachmann/cel-js', 'croner', 're2js'],
  ...['@babel/code-frame', '@babel/helper-validator-identifier', 'js-tokens'],
];

const packageOf = (request: string): string => /^(@[^/]+\/)?[^/]+/.exec(request)?.[0] ?? request;

/** A module that looks for files beside it finds them where it would be without bundling. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform: {
    filter: { code: 'import.meta.url', id: /\/src\// },
    handler: (code, id) => {
      const file = relative(`${root}src`, id).replace(/ts$/, 'js');
      return code.replaceAll('import.meta.url', `new URL('@dist/${file}', import.meta.url).href`);
    },
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll('@dist/', `./${'../'.repeat(fileName.split('/').length - 1)}`),
};

/**
 * Two modules of Node.js that commander imports and we do not need: `process` is here without, and its module opens
 * all standard streams; `child_process` is for commands that are programs of their own.
 */
const lighterCommander: Plugin = {
  name: 'lighter-commander',
  resolveId: {
    filter: { id: /^node:(process|child_process)$/ },
    handler: (id, importer) => (importer?.includes('commander') === true ? `\0${id}` : null),
  },
  load: {
    filter: { id: /^\0node:/ },
    handler: () => 'export default globalThis.process;',
  },
};

/** `build/main.ts` adds the packages of the page. */
const licenses: Plugin = {
  name: 'licenses',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((part) =>
      part.type === 'chunk' ? part.moduleIds : [],
    );
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: noticesOf(files) });
  },
};

export default {
  cwd: root,
  input: {
    index: 'src/index.ts',
    'cli/main': 'src/cli/main.ts',
    'previews/face-worker': 'src/previews/face-worker.ts',
  },
  platform: 'node',
  external: (request, importer) =>
    !(/^[./#\0]/.test(request) || bundled.includes(packageOf(request))) &&
    !(isBuiltin(request) && importer?.includes('commander') === true),
  plugins: [ownAddresses, lighterCommander, licenses],
  output: {
    dir: 'dist',
    chunkFileNames: 'parts/[name].js',
    // What each command loads, and what most load, with what they import: one file each. And how answers are read, so
    // that a run which reads none does not load the HTTP client.
    codeSplitting: {
      groups: [
        { name: 'start', test: /src\/terminal\/(exit-code|output|shown)\.|service-api\/secrets\./ },
        { name: 'load', test: /src\/language\/load\/|features\/command\.|terminal\/terminal\./ },
        { name: 'answers', test: /src\/contract\/api\/answers\./ },
      ],
    },
  },
} satisfies RolldownOptions;
