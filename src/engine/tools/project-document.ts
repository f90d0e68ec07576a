import { relative } from 'node:path'
import { projectSettings } from 'spec-served/internal/command/project'
import { parseDocument, type ReadDocument, readDocument } from 'spec-served-document/reading/read'

/** Returns the overlays of a project's own document, as its settings name them. */
function overlaysOf(file: string): readonly string[] {
  return relative('.', file) === 'spec/openapi.yaml' ? projectSettings().overlays : []
}

/**
 * Reads a document as `readDocument` does.
 * @param overlays by default those in the settings of the project whose document it is
 * @throws DocumentRefused
 */
export const readWithOverlays = (
  file: string,
  { overlays = overlaysOf(file), ...more }: Parameters<typeof readDocument>[1] = {},
): Promise<ReadDocument> => readDocument(file, { overlays, ...more })

/** The same for a text at hand; `name` stands for its file. */
export const parseWithOverlays = (text: string, name: string): Promise<ReadDocument> =>
  parseDocument(text, name, overlaysOf(name))
