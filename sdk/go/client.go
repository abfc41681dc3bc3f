// Package bursar is a client of the Bursar fee collection API, on the standard library alone.
package bursar

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
	// Who is asked to wait longer than this is told so instead.
	longestRetryAfter = time.Minute
)

// Client has a method for each operation of the reference. Many goroutines may use one.
type Client struct {
	// Timeout of one attempt.
	Timeout time.Duration
	// MaxRetries is the number of attempts after the first.
	MaxRetries int

	baseURL, apiKey, apiSecret string
	http                       *http.Client
}

// New makes a client with 30 seconds for an attempt and four retries.
func New(baseURL, apiKey, apiSecret string) *Client {
	return &Client{
		Timeout:    30 * time.Second,
		MaxRetries: 4,
		baseURL:    strings.TrimSuffix(baseURL, "/"),
		apiKey:     apiKey,
		apiSecret:  apiSecret,
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
}

// Option of one request.
type Option func(*call)

// WithIdempotencyKey sends a key of your own, so that a repeat after a crash is recognised.
func WithIdempotencyKey(key string) Option {
	return func(c *call) { c.idempotencyKey = key }
}

// File is the body of an upload.
type File struct {
	Bytes []byte
	// ContentType may be left out for CSV.
	ContentType string
}

// Ptr gives the address of a value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }

type call struct {
	method, path   string
	query          url.Values
	body           []byte
	contentType    string
	isFile         bool
	idempotencyKey string
}

type envelope struct {
	Status     string          `json:"status"`
	Data       json.RawMessage `json:"data"`
	NextCursor string          `json:"next_cursor"`
	Code       string          `json:"code"`
	Message    string          `json:"message"`
	RequestID  string          `json:"request_id"`
	Errors     []FieldProblem  `json:"errors"`
}

// Request sends any request, such as an operation that this version does not know, and gives the whole answer.
func (c *Client) Request(ctx context.Context, method, path string, query url.Values, body any, options ...Option) (json.RawMessage, error) {
	one := call{method: method, path: path, query: query}
	if err := one.write(body); err != nil {
		return nil, err
	}
	content, _, err := c.send(ctx, one, options)
	return content, err
}

// one sends a request and reads its data; a nil answer reads nothing.
func (c *Client) one(ctx context.Context, one call, body, answer any, options []Option) error {
	if err := one.write(body); err != nil {
		return err
	}
	_, read, err := c.send(ctx, one, options)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(read.Data, answer); err != nil {
		return fmt.Errorf("%s %s: the answer cannot be read: %w", one.method, one.path, err)
	}
	return nil
}

func (c *Client) file(ctx context.Context, one call, options []Option) ([]byte, error) {
	one.isFile = true
	content, _, err := c.send(ctx, one, options)
	return content, err
}

func (one *call) write(body any) error {
	if body == nil {
		return nil
	}
	written, err := json.Marshal(body)
	one.body, one.contentType = written, "application/json"
	return err
}

func (one *call) attach(file File, standard string) {
	one.body, one.contentType = file.Bytes, file.ContentType
	if one.contentType == "" {
		one.contentType = standard
	}
}

func (c *Client) send(ctx context.Context, one call, options []Option) ([]byte, *envelope, error) {
	if one.method != http.MethodGet {
		// Kept over all retries: nothing is done twice.
		one.idempotencyKey = newKey()
	}
	for _, option := range options {
		option(&one)
	}
	for attempt := 0; ; attempt++ {
		content, read, retryAfter, err := c.attempt(ctx, one)
		if err == nil {
			return content, read, nil
		}
		if attempt >= c.MaxRetries || !isRetried(err) || retryAfter > longestRetryAfter || ctx.Err() != nil {
			return nil, nil, err
		}
		if pause(ctx, attempt, retryAfter) != nil {
			return nil, nil, err
		}
	}
}

// attempt gives, with an error, how long the answer asks to wait; -1 if it does not say.
func (c *Client) attempt(ctx context.Context, one call) ([]byte, *envelope, time.Duration, error) {
	what := one.method + " " + one.path
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := c.request(timed, one)
	if err != nil {
		return nil, nil, -1, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, -1, noAnswer(ctx, what, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, -1, noAnswer(ctx, what, err)
	}
	isSuccess := response.StatusCode >= 200 && response.StatusCode < 300
	if isSuccess && one.isFile {
		return content, nil, 0, nil
	}
	var read envelope
	if json.Unmarshal(content, &read) != nil {
		read = envelope{}
	}
	if isSuccess && read.Status == "success" {
		return content, &read, 0, nil
	}
	return nil, nil, retryAfterOf(response), refusalOf(what, response, &read)
}

func (c *Client) request(ctx context.Context, one call) (*http.Request, error) {
	address := c.baseURL + one.path
	if len(one.query) > 0 {
		address += "?" + one.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, one.method, address, bytes.NewReader(one.body))
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(c.apiKey, c.apiSecret)
	request.Header.Set("Accept", "application/json")
	if one.isFile {
		request.Header.Set("Accept", "*/*")
	}
	if one.contentType != "" {
		request.Header.Set("Content-Type", one.contentType)
	}
	if one.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", one.idempotencyKey)
	}
	return request, nil
}

// isRetried is never true of a refusal: that would be refused again.
func isRetried(err error) bool {
	var refusal *APIError
	if !errors.As(err, &refusal) {
		var away *ConnectionError
		return errors.As(err, &away)
	}
	switch refusal.HTTPStatus {
	case 429, 502, 503, 504:
		return true
	}
	return refusal.Code == "IDE00001"
}

func retryAfterOf(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return -1
	}
	return time.Duration(seconds) * time.Second
}

// pause doubles from attempt to attempt, with jitter, so that many clients do not come back at once.
func pause(ctx context.Context, attempt int, asked time.Duration) error {
	longest := longestWait
	if attempt < 4 {
		longest = firstWait << attempt
	}
	if asked < 0 {
		asked = longest / 2
	}
	timer := time.NewTimer(asked + time.Duration(mathrand.Int63n(int64(longest/2))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newKey() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", random)
}

// valuesOf writes the fields of a query that are set.
func valuesOf(query any) url.Values {
	written, err := json.Marshal(query)
	if err != nil {
		panic(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(written, &fields); err != nil {
		panic(err)
	}
	values := url.Values{}
	for name, value := range fields {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		values.Set(name, text)
	}
	return values
}
