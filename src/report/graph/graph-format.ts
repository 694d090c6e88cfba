// The formats of `graph`. In a file of its own, because the command line needs their names before anything else.

export const graphFormats = ['mermaid', 'dot', 'svg'] as const;
export type GraphFormat = (typeof graphFormats)[number];
