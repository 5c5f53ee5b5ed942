/**
 * Returns a name without the spaces around it, like the standard's labels.
 * @internal
 */
export const trimmed = (name: string): string => name.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');

/**
 * Returns the name of an encoding as the modules of legacy encodings and of documents know it.
 * @internal
 */
export function nameOf(label: string): string {
  const name = trimmed(label);
  return name.toLowerCase() === 'isomorphic' ? 'latin1' : name;
}
