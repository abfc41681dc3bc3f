// A webhook receiver on the Go client: SECRET_KEY=… PORT=3000 ./receiver
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	"bursar"
)

const maxBodyBytes = 1 << 20

type booking struct {
	Type   string        `json:"type"`
	ID     string        `json:"id"`
	Amount bursar.Amount `json:"amount"`
	// Of a debit that the bank may take back.
	instalment string
}

// In your ERP: three tables of its database, whose primary keys keep a repeat from being booked twice, and a transaction in
// place of the lock.
type books struct {
	sync.Mutex
	events   map[string]bool
	bookings map[string][]booking
	returned map[string]bool
}

// Of each event only what is booked: the payloads of all codes have these fields under these names.
type payload struct {
	Payment struct {
		ID     string        `json:"id"`
		Amount bursar.Amount `json:"amount"`
	} `json:"payment"`
	Refund struct {
		ID     string        `json:"id"`
		Amount bursar.Amount `json:"amount"`
	} `json:"refund"`
	Instalment *struct {
		ID      string      `json:"id"`
		Attempt json.Number `json:"attempt"`
	} `json:"instalment"`
}

func (p payload) debit() string {
	if p.Instalment == nil {
		return ""
	}
	return p.Instalment.ID + " " + p.Instalment.Attempt.String()
}

// take books all of an event once, or nothing of it.
func (b *books) take(event *bursar.WebhookEvent) error {
	var said payload
	if err := json.Unmarshal(event.Payload, &said); err != nil {
		return err
	}
	b.Lock()
	defer b.Unlock()
	if b.events[event.EventID] {
		return nil
	}
	switch event.Event {
	// Money that reaches the institute. A settled event books too: it may be the first of its payment to arrive.
	case "pay.payment.debited", "pay.payment.settled", "flex.downpayment.debited", "flex.downpayment.settled",
		"flex.instalment.debited", "flex.instalment.settled":
		b.add(said.Payment.ID, booking{"payment", said.Payment.ID, said.Payment.Amount, said.debit()})
	case "refund.processed":
		b.add(said.Payment.ID, booking{"refund", said.Refund.ID, said.Refund.Amount, ""})
	case "flex.instalment.bounced":
		// At once or late: a debit of this attempt, booked before or after this event, does not count.
		b.returned[said.debit()] = true
	default: // Codes are added: what we do not know is none of our business.
	}
	b.events[event.EventID] = true
	return nil
}

func (b *books) add(payment string, row booking) {
	for _, one := range b.bookings[payment] {
		if one.ID == row.ID {
			return
		}
	}
	b.bookings[payment] = append(b.bookings[payment], row)
}

// of gives what stands in the books of a payment.
func (b *books) of(payment string) []booking {
	b.Lock()
	defer b.Unlock()
	found := []booking{}
	for _, one := range b.bookings[payment] {
		if !b.returned[one.instalment] {
			found = append(found, one)
		}
	}
	return found
}

func (b *books) receive(w http.ResponseWriter, r *http.Request, secret string) {
	// The body as it came: one that was parsed and written again has another signature.
	rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, nil)
		return
	}
	event, err := bursar.VerifyWebhook(rawBody, r.Header, secret)
	if err == nil {
		err = b.take(event)
	}
	var refused *bursar.SignatureError
	switch {
	case errors.As(err, &refused):
		answer(w, http.StatusUnauthorized, nil)
	case err != nil: // Not a 2xx: it is sent again.
		log.Print(err)
		answer(w, http.StatusInternalServerError, nil)
	default:
		answer(w, http.StatusOK, nil)
	}
}

func answer(w http.ResponseWriter, status int, data any) {
	said := "success"
	if status != http.StatusOK {
		said = "error"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"status": said, "data": data})
}

func main() {
	secret, port := os.Getenv("SECRET_KEY"), os.Getenv("PORT")
	if secret == "" {
		log.Fatal("SECRET_KEY is not set")
	}
	if port == "" {
		port = "3000"
	}
	all := &books{events: map[string]bool{}, bookings: map[string][]booking{}, returned: map[string]bool{}}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			all.receive(w, r, secret)
			return
		}
		// For tests; in production behind a password, or absent.
		answer(w, http.StatusOK, map[string]any{"bookings": all.of(r.URL.Query().Get("payment_id"))})
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
