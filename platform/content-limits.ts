/** Every limit of preference centers, their pages and translations, with its unit in its name; read through `limits`. */

export const contentLimits = {
  // Preference centers and their pages
  pageBytesMax: 1024 * 1024,
  preferenceNameCharsMax: 255,
  preferenceTitleCharsMax: 255,
  pageLinkTagsMax: 20,
  pageFormBytesMax: 64 * 1024,
  pageFieldsMax: 500,
  pageElementsMax: 10_000,
  // What stands between spaces, slashes and quotes, so at least as many as attributes
  pageWordsMax: 60_000,
  pageNestingMax: 128,
  // Of the HTML parser: elements made, put somewhere and moved, and their attributes
  pageTreeStepsMax: 100_000,
  pageWarningsMax: 20,
  pageTagsMax: 2_000,
  pageLiquidDepthMax: 32,
  pageAssignsMax: 100,
  pageLiquidCharsMax: 2_000,
  pageLiquidCharsAllMax: 64 * 1024,
  // Of the clock, for what is bounded in steps already: a busy machine refuses no page
  pageRenderWallMsMax: 5_000,
  pageRenderBytesMax: 4 * 1024 * 1024,
  pagesCachedMax: 64,
  pagesCachedCharsMax: 16 * 1024 * 1024,
  contentsKeptMax: 1_000,
  contentsKeptCharsMax: 16 * 1024 * 1024,
  pageOriginsMax: 50,
  urlCharsMax: 2_048,
  preferenceCentersPerWorkspaceMax: 500,
  // Each of them is named in every message that it is for
  localesPerWorkspaceMax: 200,
  preferenceVersionsPageMax: 100,
  contentAttemptsMax: 8,
  preferenceLinkLifeMs: 90 * 24 * 3600 * 1000,
  // For what a page shows of a profile; after that defaults stand for it
  pageFieldsWaitMs: 1_000,
  // Of the token that a page in a frame has in place of its link's: so long, and up to the next step of time
  pageFormLifeMs: 4 * 3600 * 1000,
  pageFormStepMs: 3600 * 1000,
  preferenceLinkLifeMsMax: 730 * 24 * 3600 * 1000,
  // Translations: "the maximum of 20MB" (api-facts 7), and a body that has room for its escapes
  translationBytesMax: 20 * 1024 * 1024,
  translationRequestBytesMax: 24 * 1024 * 1024,
  // Of a list, with what stands around texts: below rpcMessageBytesMax, above one translation of 20 MB
  translationsListBytesMax: 22 * 1024 * 1024,
  // Held at once where only a part of each is kept
  translationsInFlightMax: 8,
  // Of the beginnings of sources, beside the names of all that is declared
  declaredSourcesBytesMax: 16 * 1024 * 1024,
  documentPlainCharsMax: 64 * 1024,
  documentChunkBytesMax: 1024 * 1024,
  documentsCachedMax: 5_000,
  documentsCachedCharsMax: 8 * 1024 * 1024,
  documentsCachedCharsEachMax: 64 * 1024,
  documentChangesPerWriteMax: 64,
  documentDropsInFlightMax: 64,
  chunkSweepAgeMs: 3600 * 1000,
  chunkSweepLookMs: 3600 * 1000,
  chunkSweepMs: 24 * 3600 * 1000,
  textsPerMessageMax: 10_000,
  messagesPerOwnerMax: 1_000,
  messageOwnersMax: 10_000,
  missingTextsMax: 10_000,
  quotedIdsMax: 20,
  declareAttemptsMax: 5,
  // Of one declaration of translations, which is one conditional write in Cassandra: so many take half a second, three times as many are not taken
  declaredWritesMax: 20_000,
  // Of what those campaigns and canvases are as rows; Cassandra takes no write above 16 MiB
  declaredBytesMax: 12 * 1024 * 1024,
} as const;
