// How fast the service works. Part of the library's types.

/**
 * `instant`: a project is complete as soon as its output is rendered. `realtime`: it takes as long as the hosted service
 * takes. A number: so many times faster than that.
 */
export type Speed = 'instant' | 'realtime' | number;
