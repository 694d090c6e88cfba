// Drives the editor's language server for YAML over stdio, as an editor does: it opens files, and asks for completions,
// hover texts and squiggles.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CompletionRequest,
  ConfigurationRequest,
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type Position,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';

/** A line and a column from 1, with the text that the editor shows there. */
export interface Squiggle {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface LanguageServer {
  /** The labels of the completions at the cursor, which `|` marks in the text. */
  completions(text: string): Promise<readonly string[]>;
  /** The hover text at the cursor, which `|` marks; undefined if there is none. */
  hover(text: string): Promise<string | undefined>;
  /** `name`: the file, below the folder of the editor. */
  squiggles(text: string, name?: string): Promise<readonly Squiggle[]>;
  stop(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** No schema is loaded from elsewhere: a file names its schema in its first line, or the settings do. */
const settings = {
  validate: true,
  hover: true,
  completion: true,
  schemaStore: { enable: false },
  kubernetesCRDStore: { enable: false },
  schemas: { './pipeline.schema.json': 'mapped/*.yaml' },
};

/** `folder` is where the files of the editor are; only their names are used. */
export async function startLanguageServer(folder: string): Promise<LanguageServer> {
  const program = join(
    dirname(require.resolve('yaml-language-server')),
    '../../../bin/yaml-language-server',
  );
  const child = spawn(process.execPath, [program, '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const published = new Map<string, (found: readonly Squiggle[]) => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    published.get(uri)?.(
      diagnostics.map(({ range: { start }, message }) => ({
        line: start.line + 1,
        column: start.character + 1,
        message: typeof message === 'string' ? message : message.value,
      })),
    );
  });
  connection.onRequest(ConfigurationRequest.type, ({ items }) =>
    items.map(({ section }) => (section === 'yaml' ? settings : {})),
  );
  connection.onRequest(RegistrationRequest.type, () => {});
  connection.listen();
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'pipelines' }],
    capabilities: {
      workspace: { configuration: true },
      textDocument: {
        hover: { contentFormat: ['markdown'] },
        publishDiagnostics: {},
        completion: { completionItem: { snippetSupport: true } },
      },
    },
  });
  await connection.sendNotification(InitializedNotification.type, {});

  let opened = 0;
  const nextUri = (name = `pipeline-${++opened}.yaml`): string =>
    pathToFileURL(join(folder, name)).href;
  const open = async (text: string, uri = nextUri()): Promise<string> => {
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'yaml', version: 1, text },
    });
    return uri;
  };
  const openAtCursor = async (
    marked: string,
  ): Promise<{ readonly textDocument: { readonly uri: string }; readonly position: Position }> => {
    const before = marked.slice(0, marked.indexOf('|')).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    return { textDocument: { uri: await open(marked.replace('|', '')) }, position };
  };

  return {
    async completions(text) {
      const found = await connection.sendRequest(CompletionRequest.type, await openAtCursor(text));
      const items = Array.isArray(found) ? found : (found?.items ?? []);
      return items.map(({ label }) => label);
    },
    async hover(text) {
      const found = await connection.sendRequest(HoverRequest.type, await openAtCursor(text));
      const contents = found?.contents;
      return contents !== undefined && typeof contents === 'object' && 'value' in contents
        ? contents.value
        : undefined;
    },
    async squiggles(text, name) {
      const uri = nextUri(name);
      const { promise, resolve } = Promise.withResolvers<readonly Squiggle[]>();
      published.set(uri, resolve);
      await open(text, uri);
      return await promise;
    },
    async stop() {
      await connection.sendRequest(ShutdownRequest.type);
      const ended = once(child, 'exit');
      await connection.sendNotification(ExitNotification.type);
      await ended;
      connection.dispose();
    },
  };
}
