// Draws a graph with Graphviz, which is a package of its own because only `graph --format svg` needs it.
import { systemCode } from '../../base/system-error.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';

type Viz = typeof import('@viz-js/viz');

/** The SVG has no script and no address in it. */
export async function svgOf(dot: string): Promise<string> {
  const viz = await load();
  if (viz === undefined)
    throw new Refusal(
      problem(
        '--format svg needs the package @viz-js/viz, which is not installed',
        'shotlist',
        'run: npm install @viz-js/viz, or draw the output of --format dot with Graphviz: dot -Tsvg',
      ),
    );
  const graphviz = await viz.instance();
  // Without the declaration of a document type, whose address leads to w3.org; but a file needs the namespace.
  const inline = graphviz.renderString(dot, { format: 'svg_inline' });
  const begin = inline.indexOf('<svg ');
  return `<svg xmlns="http://www.w3.org/2000/svg" ${inline.slice(begin + '<svg '.length)}`;
}

async function load(): Promise<Viz | undefined> {
  try {
    return await import('@viz-js/viz');
  } catch (error) {
    if (systemCode(error) === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
