// A rectangle in a picture, such as a detected face.

/** The upper left corner and the size, as fractions of the picture's width and height (0 to 1). */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
