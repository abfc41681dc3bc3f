package bursar

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// List has all items of a list, asked for page by page as they are read.
type List[T any] struct {
	client *Client
	ctx    context.Context
	path   string
	query  url.Values
}

// Page gives one page and the cursor of the next, which is empty after the last: the first page for an empty cursor.
func (l *List[T]) Page(cursor string) ([]T, string, error) {
	query := url.Values{}
	for name, values := range l.query {
		query[name] = values
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	_, read, err := l.client.send(l.ctx, call{method: "GET", path: l.path, query: query}, nil)
	if err != nil {
		return nil, "", err
	}
	var items []T
	if err := json.Unmarshal(read.Data, &items); err != nil {
		return nil, "", fmt.Errorf("GET %s: the answer cannot be read: %w", l.path, err)
	}
	return items, read.NextCursor, nil
}

// All hands each item on until the answer is false. From Go 1.23 on: for order, err := range list.All { … }
func (l *List[T]) All(yield func(T, error) bool) {
	for cursor := ""; ; {
		items, next, err := l.Page(cursor)
		if err != nil {
			var nothing T
			yield(nothing, err)
			return
		}
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
		if next == "" {
			return
		}
		cursor = next
	}
}

// Slice reads the list to its end.
func (l *List[T]) Slice() ([]T, error) {
	var items []T
	var failure error
	l.All(func(item T, err error) bool {
		if err == nil {
			items = append(items, item)
		}
		failure = err
		return err == nil
	})
	return items, failure
}
