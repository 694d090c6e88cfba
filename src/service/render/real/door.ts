// The door to the real renderers: which tool is rendered where, and what it needs for that. Each room is loaded when
// it is first asked for, so that a thread which only makes QR codes never loads a face detector.
import { guessFaces } from '../plain/renderer.ts';
import { renderPlainly } from '../plain/tools.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from '../renderer.ts';
import type { RenderOutcome, RenderRequest } from '../request.ts';
import { lacksOf, type Need } from './libraries.ts';

type Render = (request: RenderRequest) => Promise<RenderOutcome>;

interface RealTool {
  readonly needs: readonly Need[];
  readonly load: () => Promise<Render>;
}

const tools: Readonly<Record<string, RealTool>> = {};

/** What is missing for step kinds, or for all: a sentence each. */
export function lacksFor(kinds?: ReadonlySet<string>): readonly string[] {
  const needs = new Set([...(kinds ?? [])].flatMap((kind) => needsOf(kind)));
  return lacksOf()
    .filter(({ need }) => kinds === undefined || needs.has(need))
    .map(({ sentence }) => sentence);
}

/** Face detection looks into clips too, but most do without. */
const needsOf = (kind: string): readonly Need[] =>
  kind === 'face-detect' ? ['faces'] : (tools[kind]?.needs ?? []);

const lacking = new Set(lacksOf().map(({ need }) => need));
const isLacking = (needs: readonly Need[]): boolean => needs.some((need) => lacking.has(need));

/** A tool whose libraries are missing is rendered as a stand-in. */
export async function renderReally(request: RenderRequest): Promise<RenderOutcome> {
  const tool = tools[request.tool.name];
  if (tool === undefined || isLacking(tool.needs)) return renderPlainly(request);
  const render = await tool.load();
  return render(request);
}

export async function searchReally(
  question: FaceQuestion,
  tell: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  if (isLacking(['faces'])) return guessFaces(question, tell);
  return guessFaces(question, tell);
}
