/** DATA: names of HTML that the check of pages knows (HTML living standard, sections 4, 13.1.2 and 16.2). */

/** Elements, obsolete ones too, as pages for mail clients still have them. */
export const elements: ReadonlySet<string> = new Set(
  `a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button canvas caption center cite code col
  colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2
  h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee menu meta meter nav nobr
  noframes noscript object ol optgroup option output p param picture pre progress q rb rp rt rtc ruby s samp script search section select
  slot small source span strike strong style sub summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul
  var video wbr`.split(/\s+/),
);

/** Elements that have no end tag, or may leave it out. */
export const withoutEnd: ReadonlySet<string> = new Set(
  `area base br col embed frame hr img input link meta param source track wbr
  html head body li dt dd p rt rp rb rtc optgroup option caption colgroup thead tbody tfoot tr td th`.split(/\s+/),
);

/** Attributes whose value is an address. */
export const addressAttributes: ReadonlySet<string> = new Set(
  `action formaction href src srcset imagesrcset attributionsrc poster data cite background longdesc ping codebase classid profile manifest
  icon xlink:href`.split(/\s+/),
);

/**
 * Attributes whose text leads or loads elsewhere by what stands in it: styles and the SVG attributes that may hold `url(…)` (written with escapes, too),
 * values that an SVG animation gives to another attribute, a name that the page behind a link can read, content of a tag of its own.
 */
export const leadingAttributes: ReadonlySet<string> = new Set(
  `style fill stroke filter mask clip-path marker marker-start marker-mid marker-end cursor attributename to from by values target
  formtarget srcdoc content`.split(/\s+/),
);

/** Elements whose content is no text that references could be written in. */
export const rawText: ReadonlySet<string> = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"]);
