/** What every view is made of: Preact and htm under one name, from our own origin. */
import htm from "htm";
import { Component, h, render } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export const html = htm.bind(h);
export { Component, render, useCallback, useEffect, useLayoutEffect, useRef, useState };
