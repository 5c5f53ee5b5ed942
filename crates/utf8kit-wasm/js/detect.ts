// Detection and mojibake: the interface of `utf8kit/detect`, which loads only their module.
export {
  type Candidate,
  candidates,
  type Change,
  detect,
  fixMojibake,
  type Guess,
  initLegacy as init,
  type Meant,
  misread,
  readability,
  type Suggestion,
  type Repair,
  Repairer,
  type Step,
} from './legacy.js';
