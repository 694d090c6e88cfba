// The sliders of ai-face-editor (facts.md, Ranges), each from -1 to 1. The facts do not say which way is up: here to the
// right, upwards, clockwise and more are above 0.
import type { RenderRequest } from '../../base/request.ts';
import { numberIn } from '../../base/fields.ts';

export interface Sliders {
  readonly eyes: number;
  readonly gazeAcross: number;
  readonly gazeUp: number;
  readonly brows: number;
  readonly pitch: number;
  readonly roll: number;
  readonly yaw: number;
  readonly lips: number;
  readonly grim: number;
  readonly mouthAcross: number;
  readonly mouthUp: number;
  readonly pout: number;
  readonly purse: number;
  readonly smile: number;
}

export function slidersOf(request: Pick<RenderRequest, 'body'>): Sliders {
  const slider = (name: string): number =>
    Math.min(1, Math.max(-1, (numberIn(request, `style.${name}`) ?? 0) / 100));
  return {
    eyes: slider('eye_open_ratio'),
    gazeAcross: slider('eye_gaze_horizontal'),
    gazeUp: slider('eye_gaze_vertical'),
    brows: slider('eyebrow_direction'),
    pitch: slider('head_pitch'),
    roll: slider('head_roll'),
    yaw: slider('head_yaw'),
    lips: slider('lip_open_ratio'),
    grim: slider('mouth_grim'),
    mouthAcross: slider('mouth_position_horizontal'),
    mouthUp: slider('mouth_position_vertical'),
    pout: slider('mouth_pout'),
    purse: slider('mouth_purse'),
    smile: slider('mouth_smile'),
  };
}
